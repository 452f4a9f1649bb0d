import { BaseAgentRuntime, type Decision, type Observation, type Reply } from "../base/base-agent-runtime.js";
import { AgentConfigError } from "../base/errors.js";
import { toText } from "../base/json.js";
import type { AgentModelRequest, ResponseFormat } from "../base/model.js";
import type { Run } from "../base/run.js";
import type { ToolSet } from "../base/tool.js";
import type { ToolCall } from "../base/tool-call.js";
import type { CodeExecutor } from "../sandbox/code-executor.js";
import { type CodeReply, readCodeReply, toReply } from "./codeact/code-reply.js";
import { CodeSession } from "./codeact/code-session.js";
import { CodeStep } from "./codeact/code-step.js";
import { CODE_TOOL } from "./codeact/code-step-output.js";
import { type CodeActOptions, type ResolvedCodeActOptions, resolveCodeActOptions } from "./codeact/codeact-options.js";
import { codeActTexts } from "./codeact/codeact-texts.js";
import { toLanguage } from "./codeact/language-name.js";
import { protocolFormat } from "./codeact/protocol-schema.js";
import { pythonGuide } from "./codeact/python-guide.js";
import { asTextHistory } from "./codeact/text-history.js";
import {
  createToolGuide,
  type GuestFunction,
  type GuideLanguage,
  guestFunctions,
  type ToolGuide,
  typescriptGuide,
} from "./codeact/tool-guide.js";

/** What the runtime keeps of a run. */
interface CodeRun {
  readonly executor: CodeExecutor;
  readonly languages: readonly string[];
  /** How functions are told: in the language that is shown as the example. */
  readonly guideLanguage: GuideLanguage;
  readonly session: CodeSession;
  functions: readonly GuestFunction[];
  guide: ToolGuide;
  /** The tools that the guide tells of. */
  told: ToolSet;
  /** The protocol, for providers that enforce a schema. */
  readonly format: ResponseFormat;
}

/**
 * The model acts by writing code, which runs in a sandbox where the tools are functions. Every reply is one JSON message, with code or with the final
 * answer; what the code came to goes back to the model as text.
 */
export class CodeActRuntime extends BaseAgentRuntime {
  override readonly name = "codeact";
  readonly ownTools = [CODE_TOOL];
  readonly #options: ResolvedCodeActOptions;
  /** Made when it is first needed, and shared by all runs. */
  #executor: Promise<CodeExecutor> | undefined;
  readonly #runs = new WeakMap<Run, CodeRun>();

  /** @throws AgentConfigError naming the option that is wrong. */
  constructor(options: CodeActOptions = {}) {
    super();
    this.#options = resolveCodeActOptions(options);
    if (this.#options.executor !== undefined) this.#executor = Promise.resolve(this.#options.executor);
  }

  /** Ends the executor that the runtime made itself; one that it was given is left alone. A program ends without it, too. */
  async dispose(): Promise<void> {
    if (this.#options.executor !== undefined) return;
    const executor = this.#executor;
    this.#executor = undefined;
    await (await executor)?.dispose();
  }

  protected override check(run: Run): void {
    checkNames(run.context.tools, "tools");
    if (this.#options.protocol !== "schema" || run.settings.model.capabilities?.structuredOutput === true) return;
    throw new AgentConfigError({
      field: "CodeActRuntime.protocol",
      problem: `"schema" needs a model whose provider enforces schemas. Use "auto" or "prompt"`,
    });
  }

  protected override instructions(run: Run): string {
    const state = this.#runs.get(run);
    if (state === undefined) return "";
    this.#tell(run, state);
    const { finish } = this.#options;
    const { session, guide, languages, guideLanguage } = state;
    const { output } = run.settings;
    const answerType = output === undefined ? undefined : guideLanguage.typeOf(output.schema);
    return codeActTexts.protocol({
      languages,
      finish,
      guide: guide.text,
      persistent: session.isPersistent,
      answerType,
      fence: guideLanguage.fence,
    });
  }

  protected override async buildRequest(run: Run): Promise<AgentModelRequest> {
    const state = this.#runs.get(run) ?? (await this.#begin(run));
    const { responseFormat: _, ...request } = await super.buildRequest(run);
    const { protocol } = this.#options;
    const enforced = protocol !== "prompt" && run.settings.model.capabilities?.structuredOutput === true;
    return { ...withoutNativeTools(request), ...(enforced ? { responseFormat: state.format } : undefined) };
  }

  /** Tools that a hook gave are functions of this turn's code, so the guide tells of them instead of the others. */
  protected override adaptRequest(request: AgentModelRequest, run: Run): AgentModelRequest {
    const state = this.#runs.get(run);
    const adapted = withoutNativeTools(request);
    if (state === undefined || state.told === run.tools) return adapted;
    checkNames(run.tools, "beforeModel.tools");
    const { text } = state.guide;
    this.#tell(run, state);
    const systemPrompt = adapted.systemPrompt?.replace(text.toWellFormed(), () => state.guide.text.toWellFormed());
    return { ...adapted, ...(systemPrompt === undefined ? undefined : { systemPrompt }) };
  }

  protected override async interpret(reply: Reply, run: Run): Promise<Decision> {
    const state = this.#runs.get(run) ?? (await this.#begin(run));
    const read = readReply(reply);
    if (read.kind === "final") return { kind: "finish", outputText: toText(read.output), output: read.output };
    const problem = read.kind === "code" ? problemOf(read, state) : reply.truncated ? codeActTexts.cutOff : read.problem;
    const mayStillRun = this.#options.finish !== "summary" || !state.session.hasSucceeded;
    if (read.kind === "code" && problem === undefined && mayStillRun) {
      const input = { language: languageOf(read, state), code: read.code };
      const [native] = reply.toolCalls;
      return { kind: "act", action: [native === undefined ? run.createToolCall(CODE_TOOL, input) : { ...native, input }] };
    }
    if (run.corrections < this.#options.corrections) {
      const text = mayStillRun || read.kind !== "code" ? codeActTexts.unreadable(problem ?? "", state.languages[0]) : codeActTexts.finalize;
      return { kind: "correct", text };
    }
    return { kind: "finish", outputText: reply.text, endedBy: "protocol" };
  }

  protected override async perform(action: readonly ToolCall[], run: Run): Promise<Observation> {
    const [call] = action;
    const state = this.#runs.get(run) ?? (await this.#begin(run));
    if (call === undefined) return { texts: [] };
    this.#tell(run, state);
    const { session, functions, guideLanguage } = state;
    const { finish, maxObservationChars } = this.#options;
    return new CodeStep({ run, session, functions, guideLanguage, finish, maxObservationChars }).perform(call);
  }

  async #begin(run: Run): Promise<CodeRun> {
    const executor = await this.#getExecutor();
    const { languages = executor.capabilities.languages, persistent, limits } = this.#options;
    const session = new CodeSession(run, { executor, persistent, limits });
    session.open(); // an executor that was disposed of fails the run before the model is asked
    const state: CodeRun = {
      executor,
      languages,
      guideLanguage: languages[0] === "python" ? pythonGuide : typescriptGuide,
      session,
      functions: [],
      guide: { text: "", isCompact: false },
      told: run.tools,
      format: protocolFormat(languages, run.settings.output?.schema),
    };
    this.#write(run, state);
    this.#runs.set(run, state);
    return state;
  }

  /** The functions of this turn: a hook may have changed the tools. */
  #tell(run: Run, state: CodeRun): void {
    if (state.told !== run.tools) this.#write(run, state);
  }

  #write(run: Run, state: CodeRun): void {
    state.told = run.tools;
    state.functions = guestFunctions(run.tools.list, state.guideLanguage);
    state.guide = createToolGuide(state.functions, {
      maxChars: this.#options.maxGuideChars,
      language: state.guideLanguage,
    });
  }

  #getExecutor(): Promise<CodeExecutor> {
    const { typecheck } = this.#options;
    this.#executor ??= import("../sandbox/index.js").then(({ IsolatedVmExecutor }) => new IsolatedVmExecutor({ typecheck }));
    return this.#executor;
  }
}

/** Nothing is declared natively, and nothing can be chosen natively. */
function withoutNativeTools(request: AgentModelRequest): AgentModelRequest {
  const { toolChoice: _, ...options } = request.options;
  return { ...request, messages: asTextHistory(request.messages), tools: [], options };
}

function checkNames(tools: ToolSet, field: string): void {
  if (tools.get(CODE_TOOL) === undefined) return;
  throw new AgentConfigError({ field, problem: `a tool named ${CODE_TOOL} is not allowed in CodeAct: it is the name of the code itself` });
}

/** What a reply says. A native call named `code` is taken for the message that it is; other native calls cannot be made. */
function readReply(reply: Reply): CodeReply {
  const [call] = reply.toolCalls;
  const inText = readCodeReply(reply.text, reply.truncated);
  if (call === undefined) return inText;
  const names = reply.toolCalls.map(({ unknownName, toolName }) => unknownName ?? toolName);
  const other = names.find((name) => name !== CODE_TOOL);
  if (other !== undefined) return { kind: "unreadable", problem: codeActTexts.nativeCall(other) };
  const count = names.length + (inText.kind === "unreadable" ? 0 : 1);
  if (count > 1) return { kind: "unreadable", problem: codeActTexts.manyMessages(count) };
  if (call.problem !== undefined) return { kind: "unreadable", problem: call.problem.text.replace(/\.$/, "") };
  return toReply({ type: "code", ...call.input });
}

function problemOf(read: Extract<CodeReply, { kind: "code" }>, { languages }: CodeRun): string | undefined {
  const language = toLanguage(read.language ?? languages[0] ?? "");
  return languages.includes(language) ? undefined : codeActTexts.unknownLanguage(read.language ?? "", languages);
}

function languageOf(read: Extract<CodeReply, { kind: "code" }>, { languages }: CodeRun): string {
  return toLanguage(read.language ?? languages[0] ?? "");
}
