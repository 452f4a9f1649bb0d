/** The public API of triact. */
export { Agent, type AgentRunInput, type AgentRunOptions, createAgent, type SubscribeOptions } from "./agent/agent.js";
export { AgentBuilder, type MissingToolContext } from "./agent/agent-builder.js";
export type { AgentOptions, ToolContextOption } from "./agent/agent-config.js";
export { AgentStream } from "./agent/agent-stream.js";
export type { AgentToolOptions, DefaultInputSchema } from "./agent/agent-tool.js";
export { Agents } from "./agent/agents.js";
export { JsonlSessionStore, type JsonlSessionStoreOptions } from "./agent/sessions/jsonl-session-store.js";
export { MemorySessionStore } from "./agent/sessions/memory-session-store.js";
export type { SessionChange, SessionInfo, SessionStore, StoredSession } from "./agent/sessions/session-store.js";
export { SqliteSessionStore } from "./agent/sessions/sqlite-session-store.js";
export { AgentContext } from "./base/agent-context.js";
export type { AgentRequest, AgentRunResult, AgentRuntime } from "./base/agent-runtime.js";
export type { AgentState, StateView } from "./base/agent-state.js";
export { BaseAgentRuntime, type Decision, type Finish, type Observation, type Reply } from "./base/base-agent-runtime.js";
export {
  AgentAbortError,
  AgentBusyError,
  AgentConfigError,
  AgentInputError,
  HookError,
  ModelError,
  ReplyError,
  type ReplyProblem,
  type RunLimit,
  RunLimitError,
  SessionError,
  SuspendedRunError,
  ToolTimeoutError,
  TriactError,
} from "./base/errors.js";
export type {
  AgentEvent,
  AgentEventBase,
  AgentEventListener,
  AgentEventMap,
  AgentEventOf,
  AgentEventType,
  PlanStepState,
  ToolErrorType,
} from "./base/events.js";
export { type IdPrefix, type MessageSource, repairHistory, toMessages, userMessage } from "./base/history.js";
export type {
  AfterToolResult,
  AgentHooks,
  AgentPlugin,
  BeforeModelResult,
  BeforeToolResult,
  HookContext,
  HookName,
  Logger,
  PluginContext,
  PluginContribution,
  StopControl,
  ToolCallResult,
} from "./base/hooks.js";
export { cutText, type JsonObject, type JsonSchema, type JsonValue, toJsonValue, toText } from "./base/json.js";
export {
  type AgentMessage,
  type AgentMessageInput,
  clientToolCalls,
  type FilePart,
  type ImagePart,
  type MediaPart,
  type MessageMetrics,
  type MessageModelInfo,
  type MessagePart,
  type MessageRole,
  type ReasoningPart,
  type TextPart,
  type ToolCallPart,
  type ToolResultContentPart,
  type ToolResultPart,
  textOf,
} from "./base/message.js";
export type {
  AgentModel,
  AgentModelEvent,
  AgentModelRequest,
  FinishReason,
  ModelCapabilities,
  ModelErrorClass,
  ModelOptions,
  ResponseFormat,
  ToolCallDelta,
  ToolChoice,
  ToolDefinition,
} from "./base/model.js";
export type { ModelAnswer, ModelQuestion } from "./base/model-call.js";
export { hookContextText, modelTexts, toolErrorText, toolResultText } from "./base/model-texts.js";
export { type Aborted, type Completed, type Failed, type Outcome, SUSPENDED, type Suspended } from "./base/outcome.js";
export type {
  RequestToolApproval,
  ToolApprovalDecision,
  ToolApprovalPending,
  ToolApprovalRequest,
  ToolCallDecision,
  ToolCallDecisions,
  ToolPolicies,
  ToolPolicy,
} from "./base/policy.js";
export type { Run } from "./base/run.js";
export type { CallPosition, RunCalls } from "./base/run-calls.js";
export type { Note } from "./base/run-history.js";
export type { InferInput, InferOutput, Schema, SchemaCheck } from "./base/schema/schema.js";
export { toStrictSchema } from "./base/schema/strict-schema.js";
export type {
  AgentSettings,
  CompletionPolicy,
  PrepareTurn,
  PrepareTurnContext,
  PrepareTurnResult,
  RunLimits,
} from "./base/settings.js";
export type { AgentSnapshot, AgentStatus, EndedBy, JournalEntry, PendingToolCall, RunFailure, RunStatus } from "./base/snapshot.js";
export type { ParentRun, SubRunOptions, SubRunSettings } from "./base/sub-run.js";
export {
  type AgentTool,
  createTool,
  type ToolCallContext,
  type ToolLifecycle,
  type ToolOptions,
  ToolResult,
  type ToolResultOptions,
  ToolSet,
  toolResult,
} from "./base/tool.js";
export { WAITING } from "./base/tool-approval.js";
export type { ToolCall } from "./base/tool-call.js";
export type { FinishedToolCall, ToolExecutor, ToolOutcome, WaitingToolCall } from "./base/tool-executor.js";
export { OUTPUT_TOOL, TypedOutput } from "./base/typed-output.js";
export type { AgentUsage, ModelUsage, Pricing } from "./base/usage.js";
export type { ChatQuirks, ReasoningReplay } from "./models/chat-quirks.js";
export type { ClassifyError } from "./models/error-class.js";
export {
  createGateway,
  type Gateway,
  type GatewayOptions,
  hasKey,
  type ModelReference,
  modelFor,
  type ProviderListing,
  providerPresets,
  splitModelName,
} from "./models/gateway.js";
export {
  anthropic,
  deepseek,
  gemini,
  groq,
  llamacpp,
  lmstudio,
  mistral,
  ollama,
  openai,
  openaiChat,
  openrouter,
  together,
  vllm,
  xai,
} from "./models/model-functions.js";
export type { ModelTiming } from "./models/model-timing.js";
export type { PresetName } from "./models/presets.js";
export type { ProviderFailure } from "./models/provider-failure.js";
export type { ProviderOptions } from "./models/provider-options.js";
export type { ProtocolName, ProviderPreset } from "./models/provider-preset.js";
export { AFTER_TOOLS_TEXT, CONTINUE_CUE, EMPTY_RESULT_TEXT, OPENING_CUE } from "./models/wire-texts.js";
export type { CodeActOptions } from "./runtimes/codeact/codeact-options.js";
export { type CodeActFinish, codeActTexts } from "./runtimes/codeact/codeact-texts.js";
export { CodeActRuntime } from "./runtimes/codeact-runtime.js";
export type { DeepResearchOptions } from "./runtimes/deep-research/deep-research-options.js";
export { deepResearchTexts } from "./runtimes/deep-research/deep-research-texts.js";
export {
  type EvidenceEntry,
  type EvidenceResult,
  type EvidenceSource,
  evidenceOf,
  type FindSources,
  findSources,
} from "./runtimes/deep-research/evidence.js";
export { type PlanStep, planOf } from "./runtimes/deep-research/plan.js";
export { type ModelPlannerOptions, type PlanContext, Planner } from "./runtimes/deep-research/planner.js";
export { DeepResearchRuntime } from "./runtimes/deep-research-runtime.js";
export { ReActRuntime } from "./runtimes/react-runtime.js";
