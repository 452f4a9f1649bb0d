import { completedBy, type Observation } from "../../base/base-agent-runtime.js";
import { isObject, type JsonValue, toText } from "../../base/json.js";
import { hookStopOutcome, type Outcome, SUSPENDED } from "../../base/outcome.js";
import type { Run } from "../../base/run.js";
import { type AgentTool, registerTool, toolResult } from "../../base/tool.js";
import { WAITING } from "../../base/tool-approval.js";
import type { ToolCall } from "../../base/tool-call.js";
import type { FinishedToolCall } from "../../base/tool-executor.js";
import type { SandboxCall, SandboxTool, ToolReply } from "../../sandbox/code-executor.js";
import type { ExecutionJournal } from "../../sandbox/execution-journal.js";
import type { CodeSession } from "./code-session.js";
import { CODE_TOOL, type CodeStepOutput, type Completion, readStepOutput, toStepOutput } from "./code-step-output.js";
import { type CodeActFinish, codeActTexts } from "./codeact-texts.js";
import { observationText } from "./observation.js";
import { declarationsOf, type GuestFunction, type GuideLanguage, searchFunctions } from "./tool-guide.js";

/** What a step is made with. */
export interface CodeStepOptions {
  /** The run whose step it is. */
  readonly run: Run;
  /** The sandbox of the run. */
  readonly session: CodeSession;
  /** What the code may call. */
  readonly functions: readonly GuestFunction[];
  /** How functions are told to the model. */
  readonly guideLanguage: GuideLanguage;
  /** What ends the run. */
  readonly finish: CodeActFinish;
  /** Characters of what the model gets back. */
  readonly maxObservationChars: number;
}

/** One piece of code: it runs as the tool `code`, so that policies, hooks and events see it, and its calls go through the same pipeline. */
export class CodeStep {
  readonly #options: CodeStepOptions;
  /** Texts of hooks on the calls that the code made, and completion tools that succeeded, by number of the call: calls may end in another order. */
  readonly #contexts: (readonly string[])[] = [];
  readonly #completions: Completion[] = [];
  /** Names of tools whose calls wait for a person's answer, which does not come in this execution. */
  readonly #waiting: string[] = [];
  /** Numbers of calls that waited when the run was suspended and that code which is done again has still to make; the run may not end before. */
  #unmade = new Set<number>();
  readonly #allMade = Promise.withResolvers<void>();
  #stop: FinishedToolCall["stop"];
  #isLost = false;
  /** What the executor threw: a mistake that no other code of the model can mend. */
  #failure: { readonly cause: unknown } | undefined;

  constructor(options: CodeStepOptions) {
    this.#options = options;
  }

  /**
   * Runs the code of a call, or goes on with it.
   * @throws What the executor throws. The model is not told: it can do nothing about it, and it is not for its eyes.
   */
  async perform(call: ToolCall): Promise<Observation> {
    const { run } = this.#options;
    const past = run.calls.past(call.toolCallId);
    const wasBegun = past?.kind === "open" && past.call.state !== "queued" && past.call.state !== "awaiting-approval";
    this.#isLost = wasBegun && past.call.replay === undefined; // it ran when its process ended
    const replay = past?.kind === "open" ? (past.call.replay as unknown as ExecutionJournal | undefined) : undefined;
    const outcome = await run.toolExecutor.execute({ ...call, tool: this.#tool(call.toolCallId, replay) });
    if (this.#failure !== undefined && !run.signal.aborted) throw this.#failure.cause; // an abort is no failure, whatever the executor makes of it
    if (outcome.kind === "waiting") return { texts: [], outcome: SUSPENDED };
    const stop = outcome.stop ?? this.#stop;
    const output = readStepOutput(outcome.result, outcome.errorType);
    const contexts = [...this.#contexts.flat(), ...outcome.appendContext];
    const text = observationText(observed(output), this.#options.maxObservationChars);
    const texts = [text, ...(contexts.length === 0 ? [] : [contexts.join("\n")])];
    const ending = stop === undefined ? this.#endingOf(output) : hookStopOutcome(stop.reason);
    return ending === undefined ? { texts } : { texts, outcome: ending };
  }

  /** Whether the step ends the run, and how. */
  #endingOf(output: CodeStepOutput): Outcome | undefined {
    const { run, session, finish } = this.#options;
    if (output.status === "failed") return undefined;
    if (output.status === "ended") {
      const { toolName, input, output: result } = output.completion;
      return completedBy({ call: { toolName }, input, result: { output: result } }, run);
    }
    session.hasSucceeded = true;
    const { source, result } = output;
    const isAnswer = finish === "value" && (source === "return" || source === "variable") && result !== undefined;
    return isAnswer ? { status: "completed", endedBy: "code-value", outputText: toText(result), output: result } : undefined;
  }

  #tool(toolCallId: string, replay: ExecutionJournal | undefined): AgentTool {
    return registerTool({
      name: CODE_TOOL,
      description: "Runs code in the sandbox.",
      inputSchema: { type: "object", properties: { language: { type: "string" }, code: { type: "string" } }, required: ["code"] },
      lifecycle: {},
      checkInput: (input) =>
        isCodeInput(input) ? { ok: true, value: input } : { ok: false, problems: ["language and code have to be text"] },
      execute: (input) => this.#execute(toolCallId, input as CodeInput, replay),
    });
  }

  async #execute(toolCallId: string, { language, code }: CodeInput, replay: ExecutionJournal | undefined): Promise<unknown> {
    const { run, session, functions, guideLanguage } = this.#options;
    if (this.#isLost) return toolResult({ output: { error: codeActTexts.interrupted }, isError: true });
    if (replay !== undefined) this.#recall(toolCallId, replay);
    this.#noteMade();
    const tools = Object.fromEntries(functions.map(({ name, tool }) => [name, this.#bridge(toolCallId, tool)]));
    const options = {
      language,
      code,
      tools: { ...tools, ...searchTools(functions, guideLanguage) },
      declarations: declarationsOf(functions),
      ...(replay === undefined ? undefined : { replay }),
    };
    const execution = await session.execute(options).catch((cause: unknown) => {
      this.#failure = { cause };
      throw new Error(codeActTexts.noSandbox);
    });
    const journal = execution.journal as unknown as JsonValue;
    // A completion tool ends no run whose other calls wait, as it is with native calls: its result stands, and the run ends once they are decided.
    const hasToWait = execution.status === "ended" && this.#stop === undefined && this.#waiting.length > 0;
    if (execution.status === "suspended" || hasToWait) {
      run.calls.mark(toolCallId, { replay: journal, input: { language, code } }); // as hooks left it: that is what the journal is of
      return WAITING;
    }
    if (execution.sessionLost) run.calls.dropReplays();
    else if (session.isBuiltOn) run.calls.mark(toolCallId, { replay: journal });
    const completion = this.#completions.find((each) => each !== undefined);
    const output = toStepOutput(execution, completion, this.#waiting.length === 0 ? [] : [codeActTexts.notMade(this.#waiting)]);
    return toolResult({ output, isError: output.status === "failed" });
  }

  /** Calls that are answered from the journal are not made again, but what hooks said of them is still to be told. */
  #recall(parentToolCallId: string, { entries }: ExecutionJournal): void {
    const { run } = this.#options;
    const canBeMade = (name: string) => this.#options.functions.some(({ tool }) => tool.name === name);
    const waited = run.snapshot.pendingToolCalls.filter((call) => call.parentToolCallId === parentToolCallId && canBeMade(call.toolName));
    this.#unmade = new Set(waited.flatMap(({ ordinal }) => ordinal ?? []));
    for (const entry of entries) {
      if (entry.type !== "call") continue;
      const toolName = this.#options.functions.find(({ name }) => name === entry.toolName)?.tool.name;
      if (toolName === undefined) continue;
      const { toolCallId } = run.createToolCall(toolName, {}, { parentToolCallId, ordinal: entry.callId });
      const past = run.calls.past(toolCallId);
      if (past?.kind === "finished") this.#contexts[entry.callId] = past.appendContext;
    }
  }

  /** Notes that a call was made, if it was. */
  #noteMade(callId?: number): void {
    if (callId !== undefined) this.#unmade.delete(callId);
    if (this.#unmade.size === 0) this.#allMade.resolve();
  }

  /** A tool as a function for code: each call goes through the pipeline. */
  #bridge(parentToolCallId: string, tool: AgentTool): SandboxTool {
    return async (input, sandboxCall): Promise<ToolReply> => {
      const { run } = this.#options;
      this.#noteMade(sandboxCall.callId);
      const created = run.createToolCall(tool.name, input ?? {}, { parentToolCallId, ordinal: sandboxCall.callId });
      const outcome = await run.toolExecutor.execute({ ...created, ...linksOf(sandboxCall) });
      if (outcome.kind === "waiting") {
        this.#waiting.push(tool.name);
        return { kind: "suspend" };
      }
      this.#contexts[sandboxCall.callId] = outcome.appendContext;
      if (outcome.stop !== undefined) {
        this.#stop = outcome.stop;
        return { kind: "end" };
      }
      if (outcome.completesRun) {
        this.#completions[sandboxCall.callId] = { toolName: tool.name, input: outcome.input, output: outcome.result.output };
        await this.#allMade.promise;
        return { kind: "end" };
      }
      return replyOf(outcome);
    };
  }
}

interface CodeInput {
  readonly language: string;
  readonly code: string;
}

function isCodeInput(input: unknown): input is CodeInput {
  return isObject(input) && typeof input["language"] === "string" && typeof input["code"] === "string";
}

function linksOf(sandboxCall: SandboxCall): Pick<ToolCall, "signal" | "pauseClock"> {
  return { signal: sandboxCall.signal, pauseClock: () => sandboxCall.pauseClock() };
}

function replyOf({ result, errorType }: FinishedToolCall): ToolReply {
  const { output } = result;
  if (errorType === undefined) return { kind: "value", value: output };
  const message = isObject(output) && typeof output["error"] === "string" ? output["error"] : toText(output);
  return { kind: "error", message, name: "ToolError" };
}

function observed(output: CodeStepOutput): Parameters<typeof observationText>[0] {
  const { logs, notices } = output;
  if (output.status === "failed") {
    const { errorType, error, line, column } = output;
    const place = { ...(line === undefined ? undefined : { line }), ...(column === undefined ? undefined : { column }) };
    return { error: { errorType, error, ...place }, logs, notices };
  }
  return { result: output.status === "ended" ? output.completion.output : output.result, logs, notices };
}

/** Functions by which code finds other functions. They tell what the agent has, and are no tools of it. */
function searchTools(functions: readonly GuestFunction[], { declarationOf }: GuideLanguage): Record<string, SandboxTool> {
  return {
    searchTools: (input) => ({ kind: "value", value: searchFunctions(functions, textIn(input, "query")) }),
    describeTool: (input) => {
      const name = textIn(input, "name");
      const found = functions.find((each) => each.name === name || each.tool.name === name);
      return found === undefined
        ? { kind: "error", message: codeActTexts.noTool(name), name: "ToolError" }
        : { kind: "value", value: declarationOf(found) };
    },
  };
}

/** All other functions take an object, so these may be called with one, too. */
function textIn(input: JsonValue, field: string): string {
  return toText(isObject(input) && field in input ? input[field] : input);
}
