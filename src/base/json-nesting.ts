/** Whether an object, list or string is open at the end of JSON text that comes in pieces. */
export class JsonNesting {
  #unread: string[] = [];
  #depth = 0;
  #inString = false;
  #escaped = false;

  add(piece: string): void {
    this.#unread.push(piece);
  }

  get isOpen(): boolean {
    for (const piece of this.#unread) for (let at = 0; at < piece.length; at++) this.#read(piece.charAt(at));
    this.#unread = [];
    return this.#depth > 0 || this.#inString;
  }

  #read(char: string): void {
    if (this.#escaped) this.#escaped = false;
    else if (char === '"') this.#inString = !this.#inString;
    else if (this.#inString) this.#escaped = char === "\\";
    else if (char === "{" || char === "[") this.#depth += 1;
    else if (char === "}" || char === "]") this.#depth -= 1;
  }
}
