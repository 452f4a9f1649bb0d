/**
 * For tests of agents, runtimes and executors: a model that says what it was told to say, and what each runtime and executor has to pass.
 */
export { historyProblems, jsonProblems } from "./testing-agents/history-problems.js";
export { type ContractCall, type RuntimeContractKit, runtimeContract } from "./testing-agents/runtime-contract.js";
export {
  callTool,
  callTools,
  lastToolResults,
  type RecordedRequest,
  type ReplyFunction,
  type ScriptedCall,
  ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedReply,
  type ScriptedTurn,
  say,
  type ToolCallRecord,
  toolResults,
} from "./testing-agents/scripted-model.js";
export type { ContractLanguage, ContractPrograms } from "./testing-executors/contract-programs.js";
export { type ContractCase, type ContractKit, contractTools, executorContract } from "./testing-executors/executor-contract.js";
export { javascriptLanguage } from "./testing-executors/javascript-language.js";
export { pythonLanguage } from "./testing-executors/python-language.js";
