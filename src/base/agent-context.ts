import type { AgentRuntime } from "./agent-runtime.js";
import { AgentState } from "./agent-state.js";
import { AgentConfigError, HookError } from "./errors.js";
import { EventBus } from "./event-bus.js";
import { type AgentPlugin, collectHooks, HOOK_NAMES, type HookBag, type HookName, log, type PluginContribution } from "./hooks.js";
import type { AgentMessage } from "./message.js";
import type { AgentSettings } from "./settings.js";
import type { AgentSnapshot } from "./snapshot.js";
import { SteeringQueue } from "./steering-queue.js";
import { type AgentTool, isAgentTool, ToolSet } from "./tool.js";

/** Everything of an agent that its runs share: settings, tools, hooks, subscribers, and the state of the conversation. */
export class AgentContext {
  readonly settings: AgentSettings;
  readonly events: EventBus;
  readonly steering: SteeringQueue;
  readonly #runtimeName: string;
  readonly #ownTools: readonly string[];
  #state: AgentState;
  #tools: ToolSet;
  #hooks: HookBag;
  #setUp: boolean;
  #settingUp: Promise<void> | undefined;
  readonly #brought = new Map<AgentPlugin, PluginContribution>();

  /**
   * @param messages - The history to begin with, valid (see `repairHistory`).
   * @param hooks - Hooks of an agent whose plugins are set up; the settings hold its tools then. Default: those of the settings.
   */
  constructor(
    settings: AgentSettings,
    { runtime, messages = [], hooks }: { runtime: Pick<AgentRuntime, "name" | "ownTools">; messages?: AgentMessage[]; hooks?: HookBag },
  ) {
    this.settings = settings;
    this.#runtimeName = runtime.name;
    this.#ownTools = runtime.ownTools ?? [];
    this.events = new EventBus(settings.logger);
    this.steering = new SteeringQueue(settings.consumePendingUserMessage);
    this.#state = this.#newState(messages);
    this.#tools = this.#toolSet(settings.tools);
    this.#hooks = hooks ?? collectHooks([{ label: "", hooks: settings.hooks }]);
    this.events.setHooks(this.#hooks.onEvent);
    this.#setUp = hooks !== undefined || settings.plugins.length === 0;
    if (this.#setUp && hooks === undefined) this.#warnOfStrayPolicies();
  }

  /**
   * A conversation of its own with the same tools and hooks, for a run within a run. It has no session, and nobody steers it.
   * @param watched - Whether the subscribers and `onEvent` hooks get its events as their own. Otherwise they get them from the run that it belongs to.
   */
  fork(
    runtime: AgentRuntime,
    changes: Partial<AgentSettings>,
    { watched, messages = [] }: { watched: boolean; messages?: AgentMessage[] },
  ): AgentContext {
    const { output } = this.settings;
    const tools = this.#tools.list.filter((tool) => tool !== output?.tool);
    const own = { tools, plugins: [], checkpoint: undefined, consumePendingUserMessage: undefined, sessionId: undefined };
    const hooks = watched ? this.#hooks : { ...this.#hooks, onEvent: [] };
    const context = new AgentContext({ ...this.settings, ...own, ...changes }, { runtime, hooks, messages });
    if (watched) context.events.follow(this.events);
    return context;
  }

  get state(): AgentState {
    return this.#state;
  }

  /** All tools, those of the plugins included once they are set up. */
  get tools(): ToolSet {
    return this.#tools;
  }

  get hooks(): HookBag {
    return this.#hooks;
  }

  /** Whether the provider keeps the model to the form of the output. A model that has tools would then never call one. */
  get outputIsEnforced(): boolean {
    return this.#isEnforcedBeside(this.#tools.list);
  }

  /** Where the run has to end by a completion tool, the one for the output is that tool. */
  #isEnforcedBeside(tools: readonly AgentTool[]): boolean {
    const { output, model, completionPolicy } = this.settings;
    if (output === undefined || tools.length > 0 || completionPolicy.requireCompletionTool === true) return false;
    return model.capabilities?.structuredOutput === true;
  }

  #toolSet(tools: readonly AgentTool[]): ToolSet {
    const { output } = this.settings;
    return new ToolSet(output === undefined || this.#isEnforcedBeside(tools) ? tools : [...tools, output.tool]);
  }

  /** Starts a new state with another history. A run under way keeps the old one. */
  replaceHistory(messages: AgentMessage[]): void {
    this.#state = this.#newState(messages);
  }

  /**
   * Starts a new state as a snapshot tells it.
   * @param messages - The snapshot's messages, valid but for the results of its pending calls. The list becomes the state's own.
   */
  takeUp(messages: AgentMessage[], snapshot: AgentSnapshot): void {
    const state = this.#newState([]);
    state.resume(messages, snapshot);
    this.#state = state;
  }

  /** Whether `setUp` has to be awaited before a run. */
  get needsSetUp(): boolean {
    return !this.#setUp;
  }

  /**
   * Sets the plugins up, once. After a failure the next run tries again.
   * @throws HookError naming the plugin whose setup threw; AgentConfigError when a plugin brings what it may not.
   */
  setUp(): Promise<void> {
    this.#settingUp ??= this.#setUpAll().finally(() => {
      this.#settingUp = undefined;
    });
    return this.#settingUp;
  }

  async #setUpAll(): Promise<void> {
    if (this.#setUp) return;
    const { plugins, tools, hooks } = this.settings;
    const allTools = [...tools];
    const sources = [{ label: "", hooks }];
    for (const plugin of plugins) {
      const brought = this.#brought.get(plugin) ?? (await this.#setUpPlugin(plugin));
      this.#brought.set(plugin, brought);
      checkCapabilities(plugin, brought);
      for (const tool of brought.tools ?? []) addPluginTool(allTools, tool, plugin);
      const label = `plugin ${JSON.stringify(plugin.name)}`;
      sources.push({ label, hooks: plugin.hooks }, { label, hooks: brought.hooks });
    }
    this.#tools = this.#toolSet(allTools);
    this.#hooks = collectHooks(sources);
    this.events.setHooks(this.#hooks.onEvent);
    this.#setUp = true;
    this.#warnOfStrayPolicies();
  }

  /** A misspelt name would leave a tool without the policy that was meant for it. Tools that come later are why it is no error. */
  #warnOfStrayPolicies(): void {
    for (const name of Object.keys(this.settings.toolPolicies)) {
      if (name === "*" || this.#tools.get(name) !== undefined || this.#ownTools.includes(name)) continue;
      const tools = this.#tools.names.join(", ") || "none";
      log(this.settings.logger, "warn", `toolPolicies.${name}: there is no tool of this name. Tools: ${tools}.`);
    }
  }

  async #setUpPlugin(plugin: AgentPlugin): Promise<PluginContribution> {
    const { agentId, agentRole, logger } = this.settings;
    try {
      return (await plugin.setup?.({ agentId, ...(agentRole === undefined ? undefined : { agentRole }), logger })) ?? {};
    } catch (cause) {
      throw new HookError({ hook: `plugin ${JSON.stringify(plugin.name)}: setup`, cause });
    }
  }

  #newState(messages: AgentMessage[]): AgentState {
    const { agentId, agentRole, parentAgentId, conversationId, sessionId } = this.settings;
    return new AgentState(
      {
        agentId,
        ...(agentRole === undefined ? undefined : { agentRole }),
        ...(parentAgentId === undefined ? undefined : { parentAgentId }),
        ...(conversationId === undefined ? undefined : { conversationId }),
        ...(sessionId === undefined ? undefined : { sessionId }),
        runtime: this.#runtimeName,
      },
      messages,
    );
  }
}

function checkCapabilities(plugin: AgentPlugin, brought: PluginContribution): void {
  const unknown = Object.keys(brought.hooks ?? {}).find((name) => !HOOK_NAMES.includes(name as HookName));
  if (unknown !== undefined) {
    const field = `plugins.${plugin.name}.hooks.${unknown}`;
    throw new AgentConfigError({ field, problem: `unknown option. Allowed: ${HOOK_NAMES.join(", ")}` });
  }
  const allowed = plugin.manifest?.capabilities;
  if (allowed === undefined) return;
  const brings = { tools: brought.tools !== undefined, hooks: brought.hooks !== undefined || plugin.hooks !== undefined };
  for (const capability of ["tools", "hooks"] as const) {
    if (!brings[capability] || allowed.includes(capability)) continue;
    const problem = `brings ${capability}, which its manifest does not declare. Add "${capability}" to manifest.capabilities`;
    throw new AgentConfigError({ field: `plugins.${plugin.name}`, problem });
  }
}

function addPluginTool(tools: AgentTool[], tool: AgentTool, plugin: AgentPlugin): void {
  const field = `plugins.${plugin.name}.tools`;
  if (!isAgentTool(tool)) throw new AgentConfigError({ field, problem: "expected tools made by createTool" });
  if (tools.some(({ name }) => name === tool.name))
    throw new AgentConfigError({ field, problem: `a tool named ${tool.name} is there already` });
  tools.push(tool);
}
