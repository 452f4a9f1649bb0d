import { messageOf } from "../base/errors.js";
import { cutText, isObject, type JsonObject } from "../base/json.js";
import type { ToolCallDecision } from "../base/policy.js";
import type { CommandHost } from "./command.js";
import type { Questions } from "./questions.js";
import { oneLine, prettyJson, safeText } from "./safe-text.js";

/** A call that a person is asked about. */
export interface AskedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JsonObject;
}

/** What a person says about a call. `waits`: nothing, for now. `gone`: the input has ended, and nobody can be asked again. */
export type CallAnswer =
  | { readonly kind: "decided"; readonly decision: ToolCallDecision; readonly always?: boolean }
  | { readonly kind: "waits" }
  | { readonly kind: "gone" };

/** What a person is asked with. */
export interface AskAboutCallOptions {
  /** Asks them. */
  readonly questions: Questions;
  /** Where the call is shown. */
  readonly terminal: CommandHost["terminal"];
  /** Ends the asking. */
  readonly signal: AbortSignal;
  /** Whether the arguments may be changed. */
  readonly editable: boolean;
}

const MAX_INPUT_CHARS = 2_000;

/** Shows a call and asks about it until there is an answer. */
export async function askAboutCall(call: AskedCall, options: AskAboutCallOptions): Promise<CallAnswer> {
  const { questions, terminal, signal, editable } = options;
  const { stderr } = terminal;
  const input = prettyJson(call.input);
  const shown = cutText(input, MAX_INPUT_CHARS);
  const toolName = oneLine(call.toolName, 64);
  stderr.write(`${stderr.paint("bold", `May it call ${toolName}?`)} ${stderr.paint("dim", oneLine(call.toolCallId, 100))}\n${shown}\n`);
  const choices = [
    "[y]es",
    "[n]o",
    `[a]lways ${toolName} in this ${questions.span}`,
    ...(editable ? ["[e]dit", "[l]eave it waiting"] : ["[s]uspend"]),
    ...(shown === input ? [] : ["[f]ull input"]),
  ];
  for (;;) {
    const line = await questions.ask(`${choices.join("  ")} > `, { signal });
    const choice = line?.trim().toLowerCase();
    if (choice === undefined) return { kind: "gone" };
    if (choice === "y" || choice === "yes") return { kind: "decided", decision: { approved: true } };
    if (choice === "a" || choice === "always") return { kind: "decided", decision: { approved: true }, always: true };
    if (choice === "n" || choice === "no") return denial(await questions.ask("Reason, for the model (may be empty): ", { signal }));
    if (editable ? choice === "l" || choice === "leave" : choice === "s" || choice === "suspend") return { kind: "waits" };
    if (choice === "f" || choice === "full") stderr.write(`${input}\n`);
    else if (editable && (choice === "e" || choice === "edit")) {
      const edited = await edit(call, options);
      if (edited !== undefined) return { kind: "decided", decision: { approved: true, input: edited } };
    } else stderr.write(`Answer with one of the letters in brackets, then Enter. Received: ${oneLine(line, 40) || "nothing"}\n`);
  }
}

function denial(reason: string | undefined): CallAnswer {
  const words = reason?.trim() ?? "";
  return { kind: "decided", decision: { approved: false, ...(words === "" ? undefined : { reason: words }) } };
}

/** Other arguments for the call; `undefined` when they are no JSON object, or the person gave up. */
async function edit({ input }: AskedCall, { questions, terminal, signal }: AskAboutCallOptions): Promise<JsonObject | undefined> {
  const line = await questions.ask("Input as JSON, on one line: ", { signal, prefill: JSON.stringify(input) });
  if (line === undefined || line.trim() === "") return undefined;
  try {
    const value: unknown = JSON.parse(line);
    if (isObject(value)) return value as JsonObject;
    terminal.stderr.write("Expected a JSON object. The input stays as it is.\n");
  } catch (error) {
    terminal.stderr.write(`That is no JSON: ${safeText(messageOf(error))}. The input stays as it is.\n`);
  }
  return undefined;
}
