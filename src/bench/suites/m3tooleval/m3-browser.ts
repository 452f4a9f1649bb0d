import type { M3Data } from "./m3-data.js";

/** The browser of one trial: a page, a window of some lines of it, and a history. */
export class M3Browser {
  readonly #website: M3Data["website"];
  readonly #history: string[] = [];
  #page: string;
  #from = 0;

  constructor(website: M3Data["website"]) {
    this.#website = website;
    this.#page = website.start_page;
  }

  click(url: string): string {
    const name = url.replaceAll("'", "");
    if (!this.#website.pages.some((page) => page.name === name)) return "[URL not found.]";
    this.#history.push(this.#page);
    return this.#open(name);
  }

  goBack(): string {
    const name = this.#history.pop();
    return name === undefined ? "[No previous page.]" : this.#open(name);
  }

  scrollDown(): string {
    if (this.#from + this.#website.lines_per_window >= this.#lines.length) return "[Reached the bottom of the page.]\n";
    this.#from += this.#website.lines_per_window;
    return this.view();
  }

  scrollUp(): string {
    if (this.#from === 0) return "[Reached the top of the page.]\n";
    this.#from = Math.max(0, this.#from - this.#website.lines_per_window);
    return this.view();
  }

  view(): string {
    const size = this.#website.lines_per_window;
    const lines = this.#lines;
    const number = lines.length > size ? Math.floor(this.#from / size) + 1 : 1;
    const count = lines.length > size ? Math.floor(lines.length / size) + 1 : 1;
    const rule = "-".repeat(10);
    const head = [rule, `[Web Page Name: ${this.#page}]`, `[Viewing page ${number} of ${count}]`, ""];
    return [...head, ...lines.slice(this.#from, this.#from + size), rule].join("\n");
  }

  get #lines(): string[] {
    return (this.#website.pages.find(({ name }) => name === this.#page)?.content ?? "").split("\n");
  }

  #open(name: string): string {
    this.#page = name;
    this.#from = 0;
    return `[Opened page: ${name}]\n${this.view()}`;
  }
}
