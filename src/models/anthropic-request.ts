import type { MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages";
import { isObject } from "../base/json.js";
import type { AgentModelRequest, ModelOptions, ToolDefinition } from "../base/model.js";
import { type AnthropicBlock, contentOf, resultBlock } from "./anthropic-content.js";
import { anthropicFormatSchema } from "./anthropic-schema.js";
import type { Endpoint } from "./protocol.js";
import { effortOf } from "./reasoning-effort.js";
import { toolSchema } from "./tool-schema.js";
import { originOf, turnsOf, wellFormed } from "./wire-history.js";
import { CallIds, PLAIN_CALL_IDS, type ToolNames } from "./wire-names.js";
import { CONTINUE_CUE, formatText, OPENING_CUE } from "./wire-texts.js";

interface AnthropicMessage {
  readonly role: "user" | "assistant";
  readonly content: AnthropicBlock[];
}

type CacheControl = { readonly type: "ephemeral"; readonly ttl?: "1h" };

/**
 * The body of a `POST /v1/messages`.
 *
 * Since API version 2026-10-21, which the SDK speaks, it has no sampling parameters: `temperature` and `topP` are left out.
 */
export function anthropicBody(request: AgentModelRequest, endpoint: Endpoint, names: ToolNames): MessageCreateParamsStreaming {
  const { systemPrompt = "", options, responseFormat } = request;
  const { modelId, promptCache } = endpoint;
  const cache: CacheControl | undefined =
    promptCache === false ? undefined : promptCache === "1h" ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" };
  const messages = messagesOf(request, endpoint, names);
  if (cache !== undefined) markLastUserMessages(messages, cache);
  const { tools: moreTools, output_config: moreConfig, ...providerOptions } = options.providerOptions ?? {};
  const tools = toolsOf(request, names, cache);
  const allTools = Array.isArray(moreTools) ? [...tools, ...moreTools] : tools;
  const thinking = thinkingOf(options, modelId);
  const wanted = endpoint.structuredOutput ? responseFormat?.schema : undefined;
  const schema = wanted === undefined ? undefined : anthropicFormatSchema(wanted);
  const format = schema === undefined ? undefined : { format: { type: "json_schema", schema } };
  const outputConfig = { ...thinking.outputConfig, ...format, ...(isObject(moreConfig) ? moreConfig : undefined) };
  const system = [systemPrompt, wanted === undefined || schema !== undefined ? "" : formatText(wanted)].filter(
    (text) => text.trim() !== "",
  );
  const body = {
    model: modelId,
    max_tokens: thinking.maxTokens,
    ...(system.length === 0 ? undefined : { system: [{ type: "text", text: system.join("\n\n"), ...withCache(cache) }] }),
    messages,
    ...(allTools.length === 0 ? undefined : { tools: allTools, ...toolChoiceOf(request, names, thinking.isOn) }),
    ...(options.stopSequences === undefined ? undefined : { stop_sequences: options.stopSequences }),
    ...thinking.body,
    ...(Object.keys(outputConfig).length === 0 ? undefined : { output_config: outputConfig }),
    ...providerOptions,
    stream: true,
  };
  return wellFormed(body) as unknown as MessageCreateParamsStreaming;
}

function messagesOf(request: AgentModelRequest, endpoint: Endpoint, names: ToolNames): AnthropicMessage[] {
  const ids = new CallIds(PLAIN_CALL_IDS, request);
  const origin = originOf(endpoint);
  const messages: AnthropicMessage[] = [];
  const add = (role: AnthropicMessage["role"], content: readonly AnthropicBlock[]) => {
    const last = messages.at(-1);
    if (content.length === 0) return;
    if (last?.role === role) last.content.push(...content);
    else messages.push({ role, content: [...content] });
  };
  for (const turn of turnsOf(request.messages)) {
    if (turn.role === "results")
      add(
        "user",
        turn.results.map((result) => resultBlock(result, ids)),
      );
    else add(turn.role, contentOf(turn, { origin, ids, names }));
  }
  if (messages[0]?.role !== "user") messages.unshift({ role: "user", content: [{ type: "text", text: OPENING_CUE }] });
  if (messages.at(-1)?.role === "assistant" && !isPaused(request)) add("user", [{ type: "text", text: CONTINUE_CUE }]);
  return messages;
}

/** A reply that the provider paused goes back as it is, and nothing behind it. */
function isPaused({ messages }: AgentModelRequest): boolean {
  const last = messages.at(-1);
  return last?.role === "assistant" && last.content.some((part) => part.type === "tool-call" && part.metadata?.["paused"] === true);
}

/** Providers keep what stands before a mark. Two marks, so that the next request still finds the one of this. */
function markLastUserMessages(messages: readonly AnthropicMessage[], cache: CacheControl): void {
  const users = messages.filter(({ role }) => role === "user").slice(-2);
  for (const { content } of users) {
    const last = content.at(-1);
    if (last !== undefined) content[content.length - 1] = { ...last, cache_control: cache };
  }
}

function withCache(cache: CacheControl | undefined): { cache_control?: CacheControl } {
  return cache === undefined ? {} : { cache_control: cache };
}

/** A history with calls is refused without declared tools, so those that are gone are declared as such. */
function toolsOf({ tools, messages }: AgentModelRequest, names: ToolNames, cache: CacheControl | undefined): object[] {
  const declared: readonly ToolDefinition[] = tools.length > 0 ? tools : goneTools(messages);
  return declared.map(({ name, description, inputSchema }, index) => ({
    name: names.toWire(name),
    description,
    input_schema: toolSchema(inputSchema),
    ...(index === declared.length - 1 ? withCache(cache) : undefined),
  }));
}

function goneTools(messages: AgentModelRequest["messages"]): ToolDefinition[] {
  const called = new Set<string>();
  for (const { content } of messages) {
    for (const part of content) if (part.type === "tool-call" && part.providerExecuted !== true) called.add(part.toolName);
  }
  return [...called].map((name) => ({ name, description: "Not available any more.", inputSchema: { type: "object" } }));
}

/** A forced choice is refused while the model thinks. */
function toolChoiceOf({ tools, options }: AgentModelRequest, names: ToolNames, isThinking: boolean): object {
  const { toolChoice } = options;
  if (tools.length === 0 && options.providerOptions?.["tools"] === undefined) return { tool_choice: { type: "none" } };
  if (toolChoice === undefined) return {};
  if (toolChoice === "none") return { tool_choice: { type: "none" } };
  if (toolChoice === "auto" || isThinking) return { tool_choice: { type: "auto" } };
  if (toolChoice === "required") return { tool_choice: { type: "any" } };
  return { tool_choice: { type: "tool", name: names.toWire(toolChoice.toolName) } };
}

interface Thinking {
  readonly isOn: boolean;
  readonly maxTokens: number;
  readonly body: object;
  readonly outputConfig: object;
}

const BUDGETS = { minimal: 1_024, low: 4_096, medium: 10_240, high: 24_576 } as const;
const MIN_BUDGET = 1_024;

function thinkingOf({ reasoning, maxOutputTokens, providerOptions }: ModelOptions, modelId: string): Thinking {
  const maxTokens = maxOutputTokens ?? defaultMaxTokens(modelId);
  const given = providerOptions?.["thinking"];
  const none = { isOn: isObject(given) && given["type"] !== "disabled", maxTokens, body: {}, outputConfig: {} };
  if (reasoning === undefined || given !== undefined) return none;
  if (reasoning === "none") return { ...none, body: { thinking: { type: "disabled" } } };
  const [major, minor] = versionOf(modelId);
  const isAdaptive = major > 4 || (major === 4 && minor >= 6);
  const takesBudget = !isAdaptive || (major === 4 && minor === 6);
  if (isAdaptive && (typeof reasoning === "string" || !takesBudget)) {
    const word = effortOf(reasoning);
    const effort = word === "minimal" ? "low" : word;
    return { isOn: true, maxTokens, body: { thinking: { type: "adaptive" } }, outputConfig: { effort } };
  }
  const wanted = typeof reasoning === "string" ? BUDGETS[reasoning] : reasoning.maxTokens;
  const budget = Math.min(Math.max(wanted, MIN_BUDGET), maxTokens - 1); // the budget is a part of the output
  if (budget < MIN_BUDGET) return none;
  return { isOn: true, maxTokens, body: { thinking: { type: "enabled", budget_tokens: budget } }, outputConfig: {} };
}

/** Models from 4.6 on decide for themselves how much to think; those from 4.7 on refuse a budget. A model without a number counts as the newest. */
function versionOf(modelId: string): readonly [major: number, minor: number] {
  const [, major, minor] = /claude-[a-z]+-(\d{1,2})(?:[-.](\d{1,2})(?!\d))?/.exec(modelId) ?? [];
  if (major !== undefined) return [Number(major), Number(minor ?? 0)];
  return modelId.startsWith("claude-") && !/claude-[123]/.test(modelId) ? [Number.POSITIVE_INFINITY, 0] : [0, 0];
}

/** The field is required. More than a model can give is refused. */
function defaultMaxTokens(modelId: string): number {
  if (/claude-(?:3-(?:haiku|opus|sonnet)|2|instant)/.test(modelId)) return 4_096;
  return /claude-3-5/.test(modelId) ? 8_192 : 32_000;
}
