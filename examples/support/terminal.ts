/** Shows a run in a terminal. Colours only where the terminal has them: `styleText` looks at that, and at NO_COLOR. */
import { exit, stdout } from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { styleText } from "node:util";
import type { AgentEvent, AgentMessage, AgentRunResult, JsonValue, ToolErrorType } from "triact";

const width = Math.min(stdout.columns || 80, 80);

stdout.on("error", ({ code }: NodeJS.ErrnoException) => exit(code === "EPIPE" ? 0 : 1)); // `| head` stops reading early

/** Writes what happens, as it happens. */
export class Terminal {
  readonly #reply = new Prose("  ", styleText("cyan", "● "));
  #toolCalls = 0;
  #failedCalls = 0;

  /** A title, and texts with their names before them. */
  header(title: string, texts: Readonly<Record<string, string>>): void {
    writeLine(`\n${styleText("bold", title)}\n`);
    for (const [name, text] of Object.entries(texts)) new Prose(" ".repeat(8), styleText("dim", name.padEnd(8))).write(text).end();
  }

  /** One event of the run. Bound, so that it can be given to `agent.subscribe`. */
  readonly show = (event: AgentEvent): void => {
    switch (event.type) {
      case "turn-started":
        writeLine("");
        break;
      case "assistant-text-delta":
        this.#reply.write(event.text);
        break;
      case "assistant-message":
        this.#reply.end();
        break;
      case "tool-started":
        this.#toolCalls += 1;
        writeLine(`  ${styleText("yellow", "→")} ${callText(event.toolCall)}`);
        break;
      case "approval-requested":
        stdout.write(`    ${styleText("magenta", "?")} May it call ${event.pending.map(({ toolName }) => toolName).join(", ")}? `);
        break;
      case "tool-finished":
        this.#showResult(event);
        break;
      default: // the rest is not for a quick look
    }
  };

  /** The answer to the question that `approval-requested` put. */
  answer(text: string): void {
    writeLine(styleText("magenta", text));
  }

  /** On a terminal, lets text appear at the pace of a quick reader. For the `onEvent` hook, which a run waits for. */
  readonly pace = async ({ type }: AgentEvent): Promise<void> => {
    if (stdout.isTTY && type === "assistant-text-delta") await pause(5);
  };

  /** How the run ended. */
  summary({ status, endedBy, iterations, usage, error }: AgentRunResult): void {
    const how = styleText(status === "completed" ? "green" : "red", `${status} (${endedBy})`);
    const failed = this.#failedCalls === 0 ? "" : `, ${this.#failedCalls} of them refused or failed`;
    writeLine(`\n${styleText("dim", "─".repeat(width))}`);
    writeLine(`${how} · ${iterations} turns · ${this.#toolCalls} tool calls${failed}`);
    if (usage.inputTokens + usage.outputTokens > 0) writeLine(`${usage.inputTokens} tokens in · ${usage.outputTokens} tokens out`);
    if (error !== undefined) writeLine(styleText("red", error.message));
  }

  /** The first lines of a file that the run wrote. */
  head(name: string, text: string, count: number): void {
    const lines = text.trimEnd().split("\n");
    const rest = lines.length > count ? [`… and ${lines.length - count} lines more`] : [];
    writeLine(`${styleText("bold", name)}\n`);
    for (const each of [...lines.slice(0, count), ...rest]) writeLine(`${styleText("dim", "│")} ${cutTo(width - 2, each)}`.trimEnd());
  }

  #showResult({ message, errorType }: { message: AgentMessage; errorType?: ToolErrorType }): void {
    const part = message.content.find(({ type }) => type === "tool-result");
    const output = part?.type === "tool-result" ? part.output : null;
    if (errorType === undefined) {
      writeLine(`    ${styleText("green", "✓")} ${cutTo(width - 6, counted(output))}`);
      return;
    }
    this.#failedCalls += 1;
    const text = `${failures[errorType] ?? "Failed"}: ${brief(isRecord(output) ? output["error"] : output)}`;
    new Prose(" ".repeat(6), `    ${styleText("red", "✗")} `).write(text).end();
  }
}

const failures: Partial<Record<ToolErrorType, string>> = { disabled: "Refused", denied: "Denied", skipped: "Skipped" };

/** Text that arrives in pieces, broken between words. */
class Prose {
  readonly #indent: string;
  readonly #lead: string;
  #column = 0;
  #word = "";

  /** @param lead - Stands before the first word, as wide as the indent of the lines that follow. */
  constructor(indent: string, lead: string) {
    this.#indent = indent;
    this.#lead = lead;
  }

  write(text: string): this {
    for (const character of text) {
      if (/\s/.test(character)) this.#endWord();
      else this.#word += character;
    }
    return this;
  }

  end(): void {
    this.#endWord();
    if (this.#column > 0) writeLine("");
    this.#column = 0;
  }

  #endWord(): void {
    if (this.#word === "") return;
    const breaks = this.#column > 0 && this.#column + 1 + this.#word.length > width;
    const before = this.#column === 0 ? this.#lead : breaks ? `\n${this.#indent}` : " ";
    stdout.write(before + this.#word);
    this.#column = (before === " " ? this.#column + 1 : this.#indent.length) + this.#word.length;
    this.#word = "";
  }
}

function writeLine(text: string): void {
  stdout.write(`${text}\n`);
}

function callText({ toolName, input }: { toolName: string; input: Readonly<Record<string, JsonValue>> }): string {
  const values = Object.entries(input).map(([name, value]) => `  ${name}=${brief(value)}`);
  return styleText("bold", toolName) + cutTo(width - 4 - toolName.length, values.join(""));
}

/** A result on one line, with the number of lines or items that it has. */
function counted(output: JsonValue): string {
  const lines = typeof output === "string" ? output.trimEnd().split("\n").length : 1;
  if (Array.isArray(output)) return `${output.length} items: ${brief(output)}`;
  return lines === 1 ? brief(output) : `${lines} lines: ${brief(output)}`;
}

/** A JSON value on one line, for people. */
function brief(value: JsonValue | undefined): string {
  if (typeof value === "string") return value.trim().replaceAll(/\s*\n\s*/g, " ⏎ ");
  if (Array.isArray(value)) return value.map(brief).join(", ");
  if (!isRecord(value)) return String(value);
  const fields = Object.entries(value).map(([name, field]) => `${name} ${isRecord(field) ? `(${brief(field)})` : brief(field)}`);
  return fields.join(", ");
}

function isRecord(value: JsonValue | undefined): value is Readonly<Record<string, JsonValue>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function cutTo(columns: number, text: string): string {
  return text.length <= columns ? text : `${text.slice(0, columns - 1).trimEnd()}…`;
}
