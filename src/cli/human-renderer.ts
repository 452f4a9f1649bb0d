import type { AgentRunResult } from "../base/agent-runtime.js";
import type { AgentEvent, AgentEventOf } from "../base/events.js";
import { isObject } from "../base/json.js";
import { textOf } from "../base/message.js";
import { CODE_TOOL } from "../runtimes/codeact/code-step-output.js";
import { answerOf, CodeView } from "./code-view.js";
import { describeEnd, describeUsage, duration } from "./describe-end.js";
import type { Renderer } from "./renderer.js";
import { oneLine } from "./safe-text.js";
import { Spinner } from "./spinner.js";
import type { Terminal } from "./terminal.js";
import { TextWriter } from "./text-writer.js";

const MAX_LINE_CHARS = 160;

/** Lines that tell of the end of a run, with line ends. */
export type RunSummary = (result: AgentRunResult, milliseconds: number) => string;

/** Streams the model's text to standard output, and tells of everything else in short lines on standard error. */
export class HumanRenderer implements Renderer {
  readonly #stderr: Terminal["stderr"];
  readonly #text: TextWriter;
  readonly #spinner: Spinner;
  readonly #code: CodeView;
  /** Whether replies are the messages of CodeAct. */
  #isCode = false;
  readonly #startedAt = performance.now();
  #lastText = "";
  #openCalls = 0;
  /** Calls that a person is asked about. */
  readonly #asked = new Set<string>();

  readonly #summary: RunSummary | undefined;

  /** @param summary - The lines at the end of a run. Default how it ended, and what it took. */
  constructor({ stdout, stderr }: Pick<Terminal, "stdout" | "stderr">, summary?: RunSummary) {
    this.#summary = summary;
    this.#stderr = stderr;
    this.#text = new TextWriter(stdout);
    this.#spinner = new Spinner(stderr);
    this.#code = new CodeView({ stderr }, this.#text);
  }

  onEvent(event: AgentEvent): void {
    switch (event.type) {
      case "run-started":
        this.#isCode = event.snapshot.runtime === "codeact";
        break;
      case "turn-started":
        this.#code.beginReply();
        this.#spinner.start("waiting for the model");
        break;
      case "assistant-text-delta":
        this.#spinner.stop();
        if (this.#isCode) this.#code.push(event.text);
        else this.#text.write(event.text);
        break;
      case "assistant-reset":
        this.#code.endReply();
        this.#code.beginReply();
        for (const line of noticesOf(event)) this.#tell(this.#stderr.paint("dim", line));
        break;
      case "assistant-message":
        this.#lastText = this.#isCode ? answerOf(textOf(event.message)) : textOf(event.message);
        this.#code.endReply();
        this.#endText();
        break;
      case "tool-started":
      case "tool-updated":
      case "tool-finished":
        this.#onToolEvent(event);
        break;
      case "approval-requested":
        for (const { toolCallId } of event.pending) this.#asked.add(toolCallId);
        this.#endText();
        break;
      case "approval-resolved":
        this.#asked.delete(event.toolCallId);
        this.#showWork();
        break;
      default:
        for (const line of noticesOf(event)) this.#tell(this.#stderr.paint("dim", line));
    }
  }

  #onToolEvent(event: AgentEventOf<"tool-started" | "tool-updated" | "tool-finished">): void {
    const indent = event.parentToolCallId === undefined ? "" : "  ";
    const paint = this.#stderr.paint.bind(this.#stderr);
    if (this.#isCode && this.#onCodeEvent(event)) return;
    if (event.type === "tool-started") {
      this.#openCalls += 1;
      const { toolName, input } = event.toolCall;
      this.#tell(`${indent}${paint("cyan", "→")} ${paint("bold", oneLine(toolName, 64))} ${oneLine(input, MAX_LINE_CHARS)}`);
    } else if (event.type === "tool-updated") {
      this.#tell(`${indent}${paint("dim", `… ${oneLine(event.toolName, 64)} ${oneLine(event.update, MAX_LINE_CHARS)}`)}`);
    } else {
      this.#openCalls -= 1;
      const { output, isError = false } = event.result;
      const sign = isError ? paint("red", "✗") : paint("green", "←");
      const took = paint("dim", `(${duration(event.durationMs)})`);
      this.#tell(`${indent}${sign} ${oneLine(event.toolName, 64)} ${oneLine(isError ? errorOf(output) : output, MAX_LINE_CHARS)} ${took}`);
    }
    this.#showWork();
  }

  /** The events of a piece of code itself; those of the calls that it makes are shown like others. */
  #onCodeEvent(event: AgentEventOf<"tool-started" | "tool-updated" | "tool-finished">): boolean {
    if (event.parentToolCallId !== undefined) return false;
    if (event.type === "tool-started" && event.toolCall.toolName === CODE_TOOL) {
      this.#endText();
      this.#openCalls += 1;
      this.#code.started(event);
    } else if (event.type === "tool-finished" && event.toolName === CODE_TOOL) {
      this.#endText();
      this.#openCalls -= 1;
      this.#code.finished(event);
    } else return false;
    this.#showWork();
    return true;
  }

  #showWork(): void {
    if (this.#openCalls > 0 && this.#asked.size === 0) this.#spinner.start("tools are running");
  }

  onEnd(result: AgentRunResult, hint: string | undefined): void {
    this.#endText();
    if (result.status === "completed" && result.outputText !== this.#lastText) {
      this.#text.write(notStreamed(result.outputText, this.#lastText.trimEnd()));
      this.#text.endLine();
    }
    const milliseconds = performance.now() - this.#startedAt;
    if (this.#summary !== undefined) {
      this.#stderr.write(this.#summary(result, milliseconds));
      return;
    }
    this.#stderr.write(describeEnd(result, { hint, output: this.#stderr }));
    this.#stderr.write(`${this.#stderr.paint("dim", describeUsage(result, milliseconds))}\n`);
  }

  close(): void {
    this.#endText();
  }

  #tell(line: string): void {
    this.#endText();
    this.#stderr.write(`${line}\n`);
  }

  #endText(): void {
    this.#spinner.stop();
    this.#code.endLine();
    this.#text.endLine();
  }
}

const BOX = { pending: "[ ]", done: "[x]", failed: "[!]" } as const;

/** A run within the run, in short: its calls and its end, further in. */
function nestedLines({ agentRole, agentId, event }: AgentEventOf<"nested-event">): readonly string[] {
  const who = oneLine(agentRole ?? agentId, 40);
  switch (event.type) {
    case "tool-started":
      return [`  · ${who}: ${event.toolCall.toolName} ${oneLine(JSON.stringify(event.toolCall.input), MAX_LINE_CHARS)}`];
    case "run-finished":
    case "run-failed":
      return [`  · ${who}: ${event.result.status} (${event.result.endedBy})`];
    default:
      return noticesOf(event).map((line) => `  ${line}`);
  }
}

/** What of an answer nobody has seen: all of a completion tool's output, and what a runtime put behind the model's text, such as a list of sources. */
function notStreamed(outputText: string, shown: string): string {
  return shown !== "" && outputText.startsWith(`${shown}\n`) ? outputText.slice(shown.length + 1) : outputText;
}

/** The lines for events that only tell something. */
function noticesOf(event: AgentEvent): readonly string[] {
  switch (event.type) {
    case "assistant-reset":
      return [`· the reply begins again: ${oneLine(event.reason, MAX_LINE_CHARS)}`];
    case "assistant-media":
      return [`· ${oneLine(event.media.mediaType, MAX_LINE_CHARS)}`];
    case "status-notice":
      return [`· ${oneLine(event.message, MAX_LINE_CHARS)}`];
    case "plan-updated":
      return event.steps.map(({ goal, status }, index) => `${BOX[status]} ${index + 1}. ${oneLine(goal, MAX_LINE_CHARS)}`);
    case "nested-event":
      return nestedLines(event);
    default:
      return [];
  }
}

/** The words of an error result, where it has some. */
function errorOf(output: unknown): unknown {
  return isObject(output) && typeof output["error"] === "string" ? output["error"] : output;
}
