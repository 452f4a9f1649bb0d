/** A piece of what a reply of CodeAct says, as people read it. */
export interface DecodedPiece {
  /** `code`: code. `output`: the text of a final message. `prose`: what stands around the message, or is none. */
  readonly kind: "code" | "output" | "prose";
  readonly text: string;
}

type State = (sign: string) => void;

const FIELDS = new Set(["type", "language", "code", "output"]);
const ESCAPES: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
const FENCE_END = /(?:^|\n)[ \t]*(?:`{1,2}|```[a-z]*)\s*$/i;
const SPACE = /\s/;

/**
 * Reads the JSON messages of CodeAct while they stream, however the stream is cut: the strings `code` and `output` come out as their text, piece by piece,
 * and the JSON around them not at all. It is for the eye alone and never fails; what is no message comes out as it is. An output that is no string is
 * left out, as the result of the run shows it.
 */
export class CodeMessageDecoder {
  #state: State = (sign) => this.#outside(sign);
  #pieces: { kind: DecodedPiece["kind"]; text: string }[] = [];
  /** Prose that may turn out to belong to the message: a fence, or an object before its first known field. */
  #held = "";
  #fence = "";
  #isMessage = false;
  #key = "";
  #depth = 0;

  /** Takes more of the reply. Pieces of one kind that follow each other are one text. */
  push(text: string): readonly DecodedPiece[] {
    for (const sign of text) this.#state(sign);
    return this.#take();
  }

  /** The reply is over: what was held back comes out, and the next reply begins anew. */
  end(): readonly DecodedPiece[] {
    this.#flush();
    this.#state = (sign) => this.#outside(sign);
    return this.#take();
  }

  #take(): readonly DecodedPiece[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  #put(kind: DecodedPiece["kind"], text: string): void {
    const last = this.#pieces.at(-1);
    if (last?.kind === kind) last.text += text;
    else if (text !== "") this.#pieces.push({ kind, text });
  }

  #flush(): void {
    const held = this.#fence + this.#held;
    this.#fence = "";
    this.#held = "";
    if (!(this.#isMessage && /^[\s`]*$/.test(held))) this.#put("prose", held);
    this.#isMessage = false;
  }

  #outside(sign: string): void {
    if (sign === "{") {
      this.#fence = this.#held;
      this.#held = sign;
      this.#state = (next) => this.#beforeKey(next);
      return;
    }
    this.#held += sign;
    if (!FENCE_END.test(this.#held) && !/^\s*$/.test(this.#held)) this.#flush();
  }

  /** What began like a message is none. */
  #giveUp(sign: string): void {
    this.#held += sign;
    if (this.#isMessage) this.#held = sign;
    this.#flush();
    this.#state = (next) => this.#outside(next);
  }

  #hold(sign: string): void {
    if (!this.#isMessage) this.#held += sign;
  }

  #beforeKey(sign: string): void {
    if (sign === "}") this.#leave(sign);
    else if (sign === '"') {
      this.#hold(sign);
      this.#key = "";
      this.#state = this.#string({ onText: (text) => (this.#key += text), onEnd: () => this.#afterKey() });
    } else if (SPACE.test(sign) || (sign === "," && this.#isMessage)) this.#hold(sign);
    else this.#giveUp(sign);
  }

  #afterKey(): void {
    if (!this.#isMessage && !FIELDS.has(this.#key)) {
      this.#state = (sign) => this.#giveUp(sign);
      return;
    }
    this.#isMessage = true;
    this.#held = "";
    this.#fence = "";
    this.#state = (sign) => {
      if (sign === ":") this.#state = (next) => this.#beforeValue(next);
      else if (!SPACE.test(sign)) this.#giveUp(sign);
    };
  }

  #beforeValue(sign: string): void {
    if (SPACE.test(sign)) return;
    const onEnd = () => {
      this.#state = (next) => this.#afterValue(next);
    };
    if (sign === '"') {
      const kind = this.#key === "code" || this.#key === "output" ? this.#key : undefined;
      this.#state = this.#string({ onText: (text) => (kind === undefined ? undefined : this.#put(kind, text)), onEnd });
      return;
    }
    this.#depth = 0;
    this.#state = (next) => this.#inValue(next);
    this.#inValue(sign);
  }

  /** A number, a word, an array or an object, of which nothing is shown. */
  #inValue(sign: string): void {
    if (sign === '"') {
      this.#state = this.#string({
        onText: () => undefined,
        onEnd: () => {
          this.#state = (next) => this.#inValue(next);
        },
      });
    } else if (sign === "{" || sign === "[") this.#depth += 1;
    else if (this.#depth > 0) this.#depth -= sign === "}" || sign === "]" ? 1 : 0;
    else if (sign === "," || sign === "}") this.#afterValue(sign);
  }

  #afterValue(sign: string): void {
    if (sign === "}") this.#leave(sign);
    else if (sign === ",") this.#state = (next) => this.#beforeKey(next);
    else if (!SPACE.test(sign)) this.#giveUp(sign);
  }

  #leave(sign: string): void {
    this.#hold(sign);
    if (!this.#isMessage) this.#flush();
    this.#state = (next) => this.#outside(next);
  }

  /** Inside of a string. Raw control characters and wrong escapes stand for themselves, as where the reply is read in earnest. */
  #string({ onText, onEnd }: { onText: (text: string) => void; onEnd: () => void }): State {
    const inside: State = (sign) => {
      this.#hold(sign);
      if (sign === '"') onEnd();
      else if (sign === "\\") this.#state = escaped;
      else onText(sign);
    };
    const escaped: State = (sign) => {
      this.#hold(sign);
      if (sign !== "u") {
        const known = ESCAPES[sign] ?? ('"\\/'.includes(sign) ? sign : `\\${sign}`);
        onText(known);
        this.#state = inside;
        return;
      }
      let digits = "";
      this.#state = (digit) => {
        if (!/[0-9a-f]/i.test(digit)) {
          onText(`\\u${digits}`);
          this.#state = inside;
          inside(digit);
          return;
        }
        this.#hold(digit);
        digits += digit;
        if (digits.length < 4) return;
        onText(String.fromCharCode(Number.parseInt(digits, 16)));
        this.#state = inside;
      };
    };
    return inside;
  }
}
