/** A fenced code block. */
export interface Fence {
  /** What stands after the opening fence, such as `ts run`. */
  readonly info: string;
  /** One-based line of the first line of code. */
  readonly line: number;
  readonly code: readonly string[];
}

/** A link or picture in prose. */
export interface Link {
  readonly target: string;
  readonly line: number;
}

/** The fenced blocks of a Markdown text and the links outside of them. Code in back-ticks holds no links. */
export function readMarkdown(text: string): { fences: Fence[]; links: Link[] } {
  const fences: Fence[] = [];
  const links: Link[] = [];
  let open: { marker: string; indent: number; info: string; line: number; code: string[] } | undefined;
  for (const [index, content] of text.split(/\r?\n/).entries()) {
    const [, indent = "", marker = "", info = ""] = content.match(/^(\s*)(`{3,}|~{3,})(.*)$/) ?? [];
    if (open === undefined) {
      if (marker !== "") open = { marker, indent: indent.length, info: info.trim(), line: index + 2, code: [] };
      else links.push(...linksOf(content).map((target) => ({ target, line: index + 1 })));
    } else if (marker.startsWith(open.marker) && info.trim() === "") {
      fences.push(open);
      open = undefined;
    } else open.code.push(content.replace(new RegExp(`^\\s{0,${open.indent}}`), ""));
  }
  if (open !== undefined) throw new Error(`The code block at line ${open.line - 1} is never closed.`);
  return { fences, links };
}

function linksOf(content: string): string[] {
  const prose = content.replaceAll(/(`+)(?!`).*?(?<!`)\1(?!`)/g, "");
  const inline = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)/g)];
  const definitions = [...prose.matchAll(/^\s{0,3}\[[^\]]+\]:\s*<?([^\s>]+)/g)];
  return [...inline, ...definitions].flatMap(([, target]) => target ?? []);
}
