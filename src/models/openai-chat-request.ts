import type { ChatCompletionCreateParamsStreaming } from "openai/resources/chat/completions";
import { isObject } from "../base/json.js";
import type { AgentModelRequest, ToolDefinition } from "../base/model.js";
import { toStrictSchema } from "../base/schema/strict-schema.js";
import type { ChatQuirks } from "./chat-quirks.js";
import { chatMessages } from "./openai-chat-messages.js";
import type { Endpoint } from "./protocol.js";
import { effortOf } from "./reasoning-effort.js";
import { toolSchema } from "./tool-schema.js";
import { wellFormed } from "./wire-history.js";
import type { ToolNames } from "./wire-names.js";

/** The body of a `POST /chat/completions`. */
export function chatBody(request: AgentModelRequest, endpoint: Endpoint, names: ToolNames): ChatCompletionCreateParamsStreaming {
  const { options, tools } = request;
  const { quirks, modelId } = endpoint;
  const { tools: moreTools, ...providerOptions } = options.providerOptions ?? {};
  const functions = tools.map((tool) => functionOf(tool, quirks, names));
  const allTools = Array.isArray(moreTools) ? [...functions, ...moreTools] : functions;
  const body = {
    model: modelId,
    messages: chatMessages(request, endpoint, names),
    ...(allTools.length === 0 ? undefined : { tools: allTools, ...toolChoiceOf(request, quirks, names) }),
    ...(options.temperature === undefined ? undefined : { temperature: options.temperature }),
    ...(options.topP === undefined ? undefined : { top_p: options.topP }),
    ...(options.maxOutputTokens === undefined ? undefined : { [quirks.maxTokensField]: options.maxOutputTokens }),
    ...(options.stopSequences === undefined ? undefined : { stop: options.stopSequences }),
    ...(options.seed === undefined ? undefined : { [quirks.seedField]: options.seed }),
    ...reasoningOf(request, quirks),
    ...responseFormatOf(request, endpoint, allTools.length > 0),
    ...(quirks.streamUsage ? { stream_options: { include_usage: true } } : undefined),
    ...providerOptions,
    stream: true,
  };
  return wellFormed(body) as unknown as ChatCompletionCreateParamsStreaming;
}

function functionOf({ name, description, inputSchema }: ToolDefinition, { strictTools }: ChatQuirks, names: ToolNames): object {
  const strict = strictTools ? toStrictSchema(inputSchema) : undefined;
  const parameters = strict ?? toolSchema(inputSchema);
  return {
    type: "function",
    function: { name: names.toWire(name), description, parameters, ...(strict === undefined ? undefined : { strict: true }) },
  };
}

/** A forced choice collides with thinking on servers that switch it on by a field. */
function toolChoiceOf({ options }: AgentModelRequest, quirks: ChatQuirks, names: ToolNames): object {
  const { toolChoice, reasoning } = options;
  const isForced = toolChoice === "required" || isObject(toolChoice);
  const isThinking = quirks.reasoningOption === "thinking" && reasoning !== undefined && reasoning !== "none";
  if (toolChoice === undefined || (isForced && isThinking)) return {};
  if (toolChoice === "required") return { tool_choice: quirks.requiredToolChoice };
  if (typeof toolChoice === "string") return { tool_choice: toolChoice };
  return { tool_choice: { type: "function", function: { name: names.toWire(toolChoice.toolName) } } };
}

function reasoningOf({ options: { reasoning } }: AgentModelRequest, { reasoningOption }: ChatQuirks): object {
  if (reasoning === undefined) return {};
  switch (reasoningOption) {
    case "reasoning_effort":
      return { reasoning_effort: effortOf(reasoning) };
    case "reasoning":
      if (reasoning === "none") return { reasoning: { enabled: false } };
      return { reasoning: typeof reasoning === "string" ? { effort: reasoning } : { max_tokens: reasoning.maxTokens } };
    case "thinking":
      return { thinking: { type: reasoning === "none" ? "disabled" : "enabled" } };
    default:
      return {};
  }
}

function responseFormatOf({ responseFormat }: AgentModelRequest, { quirks, structuredOutput }: Endpoint, hasTools: boolean): object {
  if (responseFormat === undefined || !structuredOutput || (hasTools && !quirks.structuredOutputWithTools)) return {};
  if (quirks.structuredOutput === "none") return {};
  if (quirks.structuredOutput === "json_object") return { response_format: { type: "json_object" } };
  const { name, schema } = responseFormat;
  const strict = toStrictSchema(schema);
  return {
    response_format: {
      type: "json_schema",
      json_schema: { name, schema: strict ?? schema, ...(strict === undefined ? undefined : { strict: true }) },
    },
  };
}
