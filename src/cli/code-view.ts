import type { AgentEventOf } from "../base/events.js";
import { type CodeReply, readCodeReply } from "../runtimes/codeact/code-reply.js";
import { type CodeStepOutput, readStepOutput } from "../runtimes/codeact/code-step-output.js";
import { CodeMessageDecoder, type DecodedPiece } from "./code-message-decoder.js";
import { duration } from "./describe-end.js";
import { oneLine } from "./safe-text.js";
import type { Terminal } from "./terminal.js";
import { TextWriter } from "./text-writer.js";

const MAX_RESULT_CHARS = 400;

/** Shows the replies of CodeAct: code as code on standard error, the text of a final message on standard output. */
export class CodeView {
  readonly #stderr: Terminal["stderr"];
  readonly #answer: TextWriter;
  readonly #code: TextWriter;
  readonly #prose: TextWriter;
  readonly #decoder = new CodeMessageDecoder();
  /** The code of the reply under way, as it was shown. */
  #shownCode = "";

  constructor({ stderr }: Pick<Terminal, "stderr">, answer: TextWriter) {
    this.#stderr = stderr;
    this.#answer = answer;
    this.#code = new TextWriter(stderr, stderr.paint("dim", "│ "));
    this.#prose = new TextWriter(stderr);
  }

  /** More of the reply. */
  push(text: string): void {
    this.#show(this.#decoder.push(text));
  }

  /** The reply is over, or thrown away. */
  endReply(): void {
    this.#show(this.#decoder.end());
    this.endLine();
  }

  /** A new reply begins. */
  beginReply(): void {
    this.#shownCode = "";
  }

  /** What was written ends its line. */
  endLine(): void {
    this.#code.endLine();
    this.#prose.endLine();
    this.#answer.endLine();
  }

  /** The code that runs, if it is not what was shown: it came in another form, or a hook changed it. */
  started({ toolCall: { input } }: AgentEventOf<"tool-started">): void {
    const { code } = input;
    if (typeof code !== "string" || code.trim() === this.#shownCode.trim()) return;
    this.#code.write(code);
    this.#code.endLine();
  }

  /** What the code came to. */
  finished({ result, errorType, durationMs }: AgentEventOf<"tool-finished">): void {
    const output = readStepOutput({ output: result.output, isError: result.isError ?? false }, errorType);
    const isError = output.status === "failed";
    const name = this.#stderr.paint(isError ? "red" : "green", isError ? "CODE_ERROR" : "CODE_RESULT");
    const took = this.#stderr.paint("dim", `(${duration(durationMs)})`);
    const logs = output.logs === "" ? "" : `${this.#stderr.paint("dim", "logs:")} ${oneLine(output.logs, MAX_RESULT_CHARS)}\n`;
    this.#stderr.write(`${logs}${name} ${resultOf(output)} ${took}\n`);
  }

  #show(pieces: readonly DecodedPiece[]): void {
    for (const { kind, text } of pieces) {
      if (kind === "code") {
        this.#prose.endLine();
        this.#shownCode += text;
        this.#code.write(text);
      } else if (kind === "output") {
        this.#code.endLine();
        this.#prose.endLine();
        this.#answer.write(text);
      } else if (text.trim() !== "") {
        this.#code.endLine();
        this.#prose.write(text);
      }
    }
  }
}

/** The answer that a reply of CodeAct shows on its own; empty where it shows none. */
export function answerOf(reply: string): string {
  const read: CodeReply = readCodeReply(reply);
  return read.kind === "final" && typeof read.output === "string" ? read.output : "";
}

function resultOf(output: CodeStepOutput): string {
  if (output.status === "failed") {
    const { error, line } = output;
    return `${oneLine(error, MAX_RESULT_CHARS)}${line === undefined ? "" : ` (line ${line})`}`;
  }
  if (output.status === "ended") return oneLine(output.completion.output, MAX_RESULT_CHARS);
  return output.result === undefined ? "(no value)" : oneLine(output.result, MAX_RESULT_CHARS);
}
