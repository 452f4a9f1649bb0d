/** What is wrong with an XML text that has elements, attributes and text only; `undefined` if it is well-formed. */
export function xmlProblem(xml: string): string | undefined {
  const forbidden = xml.match(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u);
  if (forbidden) return `a forbidden character at ${forbidden.index}`;
  const open: string[] = [];
  const text = String.raw`[^<&]|&(?:amp|lt|gt|quot|apos|#\d+);`;
  const tag = new RegExp(`<(/?)([a-z]+)((?: [a-z]+="(?:(?!")(?:${text}))*")*)(/?)>`, "y");
  const between = new RegExp(`(?:${text})*`, "y");
  let at = xml.startsWith("<?xml") ? xml.indexOf("?>") + 2 : 0;
  while (at < xml.length) {
    between.lastIndex = at;
    at += between.exec(xml)?.[0].length ?? 0;
    if (at === xml.length) break;
    tag.lastIndex = at;
    const [whole, close, name = "", , empty] = tag.exec(xml) ?? [];
    if (whole === undefined) return `no tag at ${xml.slice(at, at + 60)}`;
    if (close === "/" && open.pop() !== name) return `${name} is closed, and was not the last to be opened`;
    if (close === "" && empty === "") open.push(name);
    at += whole.length;
  }
  return open.length === 0 ? undefined : `${open.join(", ")} never closed`;
}
