/** What an element may hold. A string is text and never markup. */
export type Content = Node | string | undefined | false;

/** Makes an element. Attributes that are `undefined` or `false` are left out; `true` is an attribute without a value. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | number | boolean | undefined>> = {},
  ...content: readonly Content[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) made.setAttribute(attribute, value === true ? "" : String(value));
  }
  made.append(...content.filter((each) => each !== undefined && each !== false));
  return made;
}

/** A button that does something. */
export function button(
  label: Content,
  onClick: () => void,
  attributes: Readonly<Record<string, string | undefined>> = {},
): HTMLButtonElement {
  const made = element("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", onClick);
  return made;
}

/** A choice of one of several, with its label. */
export function choice(
  label: string,
  { options, onChange }: { options: readonly (readonly [value: string, text: string])[]; onChange: (value: string) => void },
): HTMLElement {
  const select = element("select", {}, ...options.map(([value, text]) => element("option", { value }, text)));
  select.addEventListener("change", () => onChange(select.value));
  return element("label", { class: "choice" }, `${label} `, select);
}
