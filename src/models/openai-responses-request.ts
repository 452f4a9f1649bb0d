import type { ResponseCreateParamsStreaming } from "openai/resources/responses/responses";
import { isObject } from "../base/json.js";
import type { AgentModelRequest, ToolDefinition } from "../base/model.js";
import { toStrictSchema } from "../base/schema/strict-schema.js";
import { responsesInput } from "./openai-responses-input.js";
import type { Endpoint } from "./protocol.js";
import { effortOf } from "./reasoning-effort.js";
import { toolSchema } from "./tool-schema.js";
import { wellFormed } from "./wire-history.js";
import type { ToolNames } from "./wire-names.js";

/** The body of a `POST /responses`. Nothing is stored at the provider: the history is ours, and reasoning travels encrypted. */
export function responsesBody(request: AgentModelRequest, endpoint: Endpoint, names: ToolNames): ResponseCreateParamsStreaming {
  const { systemPrompt = "", options, tools } = request;
  const { modelId } = endpoint;
  const { tools: moreTools, text: moreText, ...providerOptions } = options.providerOptions ?? {};
  const functions = tools.map((tool) => functionOf(tool, endpoint, names));
  const allTools = Array.isArray(moreTools) ? [...functions, ...moreTools] : functions;
  const text = { ...formatOf(request, endpoint), ...(isObject(moreText) ? moreText : undefined) };
  const body = {
    model: modelId,
    ...(systemPrompt.trim() === "" ? undefined : { instructions: systemPrompt }),
    input: responsesInput(request, endpoint, names),
    ...(allTools.length === 0 ? undefined : { tools: allTools, ...toolChoiceOf(request, names) }),
    ...(options.temperature === undefined ? undefined : { temperature: options.temperature }),
    ...(options.topP === undefined ? undefined : { top_p: options.topP }),
    ...(options.maxOutputTokens === undefined ? undefined : { max_output_tokens: options.maxOutputTokens }),
    ...(options.reasoning === undefined ? undefined : { reasoning: { effort: effortOf(options.reasoning) } }),
    ...(Object.keys(text).length === 0 ? undefined : { text }),
    store: false,
    ...(mayReason(modelId) ? { include: ["reasoning.encrypted_content"] } : undefined),
    ...providerOptions,
    stream: true,
  };
  return wellFormed(body) as unknown as ResponseCreateParamsStreaming;
}

/** Older models refuse the wish for encrypted reasoning. */
function mayReason(modelId: string): boolean {
  return !/^(?:gpt-3|gpt-4|chatgpt-4|ft:gpt-[34]|gpt-5(?:\.\d+)?-chat)/.test(modelId);
}

function functionOf({ name, description, inputSchema }: ToolDefinition, { quirks }: Endpoint, names: ToolNames): object {
  const strict = quirks.strictTools ? toStrictSchema(inputSchema) : undefined;
  // without `strict: false` this API takes every schema for a strict one
  return {
    type: "function",
    name: names.toWire(name),
    description,
    parameters: strict ?? toolSchema(inputSchema),
    strict: strict !== undefined,
  };
}

function toolChoiceOf({ options: { toolChoice } }: AgentModelRequest, names: ToolNames): object {
  if (toolChoice === undefined) return {};
  if (typeof toolChoice === "string") return { tool_choice: toolChoice };
  return { tool_choice: { type: "function", name: names.toWire(toolChoice.toolName) } };
}

function formatOf({ responseFormat }: AgentModelRequest, { structuredOutput }: Endpoint): object {
  if (responseFormat === undefined || !structuredOutput) return {};
  const { name, schema } = responseFormat;
  const strict = toStrictSchema(schema);
  return { format: { type: "json_schema", name, schema: strict ?? schema, strict: strict !== undefined } };
}
