import type { AgentRunResult } from "../base/agent-runtime.js";
import { messageOf, TriactError } from "../base/errors.js";
import { textOf } from "../base/message.js";
import type { RequestToolApproval } from "../base/policy.js";
import type { AgentUsage } from "../base/usage.js";
import type { AgentPlan } from "./agent-plan.js";
import { defaultPlan, overlayPlan } from "./agent-plan.js";
import { askDecisions } from "./ask-decisions.js";
import { type BuiltAgent, buildAgent } from "./build-agent.js";
import { chatCommands } from "./chat-commands.js";
import { ChatConsole } from "./chat-console.js";
import { ChatQuestions } from "./chat-questions.js";
import { ChatTotals } from "./chat-totals.js";
import type { CommandHost } from "./command.js";
import { createApproval } from "./create-approval.js";
import { describeCall, describeEnd, describeUsage } from "./describe-end.js";
import { exitCodeOf, exitCodes } from "./exit-codes.js";
import { HumanRenderer } from "./human-renderer.js";
import { Interruption } from "./interruption.js";
import { RunSession } from "./run-session.js";
import { oneLine, safeText } from "./safe-text.js";
import type { SessionFolder } from "./session-folder.js";
import { type ShowRunOptions, showRun } from "./show-run.js";
import { UsageError } from "./usage-error.js";

const PROMPT = "› ";

/** Makes ready what a turn begins with; `undefined`: there is nothing to begin. */
type Prepare = (options: { readonly interruption: Interruption }) => Promise<ShowRunOptions["start"] | undefined>;

/** What a conversation is begun with. */
export interface ChatOptions {
  /** Whose terminal it is. */
  readonly host: CommandHost;
  /** What the agent is built from. */
  readonly plan: AgentPlan;
  /** Where it is kept, if anywhere. */
  readonly session: RunSession | undefined;
  /** Where other sessions are. */
  readonly folder: SessionFolder;
}

/** A conversation in the terminal. */
export class Chat {
  readonly totals = new ChatTotals();
  readonly #host: CommandHost;
  readonly #console: ChatConsole;
  readonly #questions: ChatQuestions;
  readonly #always = new Set<string>();
  readonly #folder: SessionFolder;
  #session: RunSession | undefined;
  #plan: AgentPlan;
  #built: BuiltAgent | undefined;
  /** Replies in the session when the model was changed here. */
  #repliesBefore: number | undefined;
  /** What was said into a run and has not been taken up. */
  #spoken: string[] = [];
  #lastExitCode: number = exitCodes.completed;

  private constructor({ host, plan, session, folder }: ChatOptions) {
    this.#session = session;
    this.#folder = folder;
    this.#plan = plan;
    this.#console = new ChatConsole(host);
    this.#host = { ...host, terminal: this.#console.terminal };
    this.#questions = new ChatQuestions(this.#host, this.#console);
  }

  /**
   * Holds a conversation from its first to its last word.
   * @returns The exit code.
   */
  static async hold(options: ChatOptions): Promise<number> {
    const chat = new Chat(options);
    try {
      await chat.#begin();
      return await chat.#talk();
    } finally {
      chat.#console.close();
      await chat.#built?.[Symbol.asyncDispose]();
      await chat.session?.close();
    }
  }

  /** Where it is kept, if anywhere. */
  get session(): RunSession | undefined {
    return this.#session;
  }

  /** What the agent is built from now. */
  get plan(): AgentPlan {
    return this.#plan;
  }

  /** The agent of the moment. */
  get built(): BuiltAgent {
    if (this.#built === undefined) throw new Error("The conversation has not begun.");
    return this.#built;
  }

  /** Whether calls wait for an answer, or a run was cut off. */
  get isUnfinished(): boolean {
    const { status } = this.built.agent.snapshot();
    return status === "suspended" || status === "running";
  }

  /** Writes for the person, not for whoever reads the answers. */
  tell(text: string): void {
    this.#host.terminal.stderr.write(text);
  }

  /**
   * Goes on with another runtime or model, and with all that was said.
   * @throws UsageError, or AgentConfigError, for what cannot be used; nothing is changed then.
   */
  async change(change: Pick<AgentPlan, "runtime" | "model">): Promise<void> {
    const { agent, model } = this.built;
    const plan = overlayPlan(this.#plan, change);
    const { messages } = agent.snapshot();
    const kept = change.model === undefined ? { model } : undefined;
    const built = await this.#build(plan, { ...kept, ...(this.session === undefined ? { initialMessages: messages } : undefined) });
    if (this.session !== undefined) await built.agent.loadSession();
    await this.#built?.[Symbol.asyncDispose]();
    this.#built = built;
    this.#plan = plan;
    if (change.model !== undefined) this.#repliesBefore = messages.filter(({ role }) => role === "assistant").length;
    await this.#remember();
  }

  /**
   * Goes on in another session, from what that one was built from; a new one begins with what is used here.
   * @throws UsageError when somebody else has it, or when this conversation would be lost; nothing is changed then.
   */
  async goTo(name: string): Promise<void> {
    if (name === this.session?.name) return;
    if (this.session === undefined && this.built.agent.snapshot().messages.length > 0) {
      throw new UsageError({ problem: "This conversation is not kept anywhere and would be lost. /clear forgets it." });
    }
    const session = await RunSession.open(name, this.#folder);
    try {
      const plan = session.notes === undefined ? this.#plan : overlayPlan(defaultPlan(this.#host), session.notes.plan);
      const built = await this.#build(plan, { ...session.agentOptions, skipReplies: session.skipReplies(plan) });
      await built.agent.loadSession();
      await this.#built?.[Symbol.asyncDispose]();
      await this.session?.close();
      this.#session = session;
      this.#built = built;
      this.#plan = plan;
    } catch (error) {
      if (this.session !== session) await session.close();
      throw error;
    }
    this.#repliesBefore = undefined;
    this.#spoken = [];
    this.#always.clear();
    await this.#remember();
  }

  /** Asks about the calls that wait, and goes on with the run. */
  async goOn(): Promise<void> {
    const { agent } = this.built;
    const snapshot = agent.snapshot();
    const waiting = snapshot.pendingToolCalls.filter(({ state, decision }) => state === "awaiting-approval" && decision === undefined);
    await this.#turn(async (options) => {
      const decisions = this.#host.terminal.isInteractive
        ? await askDecisions(waiting, {
            host: { terminal: this.#host.terminal, interruption: options.interruption },
            questions: this.#questions,
            always: this.#always,
          })
        : {};
      if (waiting.length > 0 && Object.keys(decisions).length === 0) return undefined;
      return (options) => agent.resume(snapshot, decisions, options);
    }, snapshot.usage);
  }

  async #begin(): Promise<void> {
    const { session } = this;
    this.#built = await this.#build(this.#plan, { skipReplies: session?.skipReplies(this.#plan) ?? 0 });
    if (session !== undefined) await this.#built.agent.loadSession();
    await this.#remember();
    if (!this.#host.terminal.isInteractive) return;
    const { stderr } = this.#host.terminal;
    const kept = session === undefined ? "not kept" : `session ${oneLine(session.name, 60)}`;
    this.tell(
      `${stderr.paint("dim", `${oneLine(this.#plan.model ?? "", 80)} · ${oneLine(this.#plan.runtime ?? "react", 80)} · ${kept}`)}\n`,
    );
    const last = this.#built.agent.snapshot().messages.findLast((message) => textOf(message) !== "");
    if (last !== undefined) this.tell(`${stderr.paint("dim", `… ${oneLine(textOf(last), 200)}`)}\n`);
    this.tell(`${stderr.paint("dim", "/help lists the commands, Ctrl-D leaves.")}\n`);
  }

  async #talk(): Promise<number> {
    const { interruption, terminal } = this.#host;
    if (this.isUnfinished) await this.goOn();
    for (;;) {
      if (interruption.exitCode !== undefined) return interruption.exitCode;
      const input = await this.#console.readMessage(PROMPT);
      if (input.kind === "interrupted") return interruption.exitCode ?? exitCodes.SIGINT;
      if (input.kind === "end") {
        if (!terminal.isInteractive) return this.#lastExitCode;
        this.tell("\n");
        return exitCodes.completed;
      }
      if (input.text.startsWith("/")) {
        if ((await this.#command(input.text)) === "leave") return exitCodes.completed;
      } else if (input.text.trim() !== "") await this.#say(input.text);
    }
  }

  async #command(text: string): Promise<"leave" | undefined> {
    const [, name = "", argument = ""] = text.match(/^\/(\S*)\s*(.*)$/s) ?? [];
    const command = Object.hasOwn(chatCommands, name) ? chatCommands[name] : undefined;
    if (command === undefined) {
      this.tell(
        `There is no command /${oneLine(name, 40)}. See /help. A message that begins with a slash is written with a space before it.\n`,
      );
      return undefined;
    }
    try {
      return await command.execute(this, argument.trim());
    } catch (error) {
      this.#tellError(error);
      return undefined;
    }
  }

  async #say(text: string): Promise<void> {
    if (this.isUnfinished) await this.goOn();
    if (this.isUnfinished) {
      this.tell("Not sent: the calls have to be answered first. /resume asks again, /clear begins anew.\n");
      return;
    }
    await this.#turn(async () => (options) => this.built.agent.run(text, options));
    while (this.#spoken.length > 0 && this.built.agent.snapshot().status === "completed") {
      await this.#turn(async () => (options) => this.built.agent.run(undefined, options)); // said in the last moment
    }
  }

  /** One run, which Ctrl-C ends. A second one ends the conversation. */
  async #turn(prepare: Prepare, before?: AgentUsage): Promise<void> {
    const { interruption: all, terminal } = this.#host;
    const interruption = new Interruption(() => all.interrupt("SIGINT"));
    const onAll = () => {
      if (!interruption.signal.aborted) interruption.interrupt("SIGTERM");
    };
    if (all.signal.aborted) onAll();
    all.signal.addEventListener("abort", onAll);
    const { agent } = this.built;
    const renderer = new HumanRenderer(terminal, (result, milliseconds) => this.#summary(result, milliseconds));
    const unsubscribe = agent.subscribe((event) => {
      if (event.type === "message-added" && event.message.role === "user") this.#onHeard(textOf(event.message));
    });
    try {
      await this.#console.whileBusy(
        { onLine: (line) => this.#speak(line), onInterrupt: () => interruption.interrupt("SIGINT") },
        async () => {
          const start = await prepare({ interruption });
          if (start === undefined) return;
          const result = await showRun(agent, { renderer, interruption, start });
          this.totals.add(result.usage, before);
          renderer.onEnd(result, undefined);
          this.#lastExitCode = exitCodeOf(result, interruption);
        },
      );
    } catch (error) {
      if (!interruption.signal.aborted) this.#tellError(error);
      this.#lastExitCode = exitCodes.failed;
    } finally {
      unsubscribe();
      all.signal.removeEventListener("abort", onAll);
    }
    if (interruption.signal.aborted && !all.signal.aborted) this.#console.noteInterrupted();
  }

  #speak(line: string): void {
    this.#spoken.push(line);
    this.built.agent.steer(line);
  }

  #onHeard(text: string): void {
    this.#spoken = this.#spoken.filter((spoken) => !text.includes(spoken));
  }

  #summary(result: AgentRunResult, milliseconds: number): string {
    const { stderr } = this.#host.terminal;
    const hint = result.status === "suspended" ? "Answer with /resume." : undefined;
    const end = result.status === "completed" ? "" : describeEnd(result, { hint, output: stderr });
    return `${end}${stderr.paint("dim", `${describeUsage(result, milliseconds)} · so far ${this.totals.describe()}`)}\n`;
  }

  #build(plan: AgentPlan, options: Omit<Parameters<typeof buildAgent>[2], "requestToolApproval">): Promise<BuiltAgent> {
    return buildAgent(plan, this.#host, { ...this.session?.agentOptions, ...options, requestToolApproval: this.#approval() });
  }

  #approval(): RequestToolApproval {
    const { terminal } = this.#host;
    return createApproval({
      host: this.#host,
      questions: this.#questions,
      always: this.#always,
      hasSession: this.session !== undefined || terminal.isInteractive, // a conversation can be gone on with
      keepInSession: async () => true,
    });
  }

  async #remember(): Promise<void> {
    const { session } = this;
    if (session === undefined) return;
    if (this.#repliesBefore === undefined) await session.remember(this.#plan);
    else await session.folder.writeNotes(session.name, { plan: this.#plan, repliesBefore: this.#repliesBefore });
  }

  #tellError(error: unknown): void {
    const { stderr } = this.#host.terminal;
    this.tell(`${stderr.paint("red", "triact:")} ${safeText(messageOf(error))}\n`);
    if (!(error instanceof TriactError) && this.#host.environment["TRIACT_DEBUG"] && error instanceof Error) {
      this.tell(`${safeText(error.stack ?? "")}\n`);
    }
  }

  /** The calls that wait, a line each. */
  describeWaiting(): string {
    const { pendingToolCalls } = this.built.agent.snapshot();
    return pendingToolCalls.map((call) => `waits: ${describeCall(call)}\n`).join("");
  }

  /** Forgets all that was said. */
  clear(): void {
    this.built.agent.restore([]);
    this.#spoken = [];
    this.#always.clear();
  }
}
