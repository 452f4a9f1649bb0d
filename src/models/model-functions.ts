import type { AgentModel } from "../base/model.js";
import { presetModel } from "./gateway.js";
import type { ProviderOptions } from "./provider-options.js";

/** A model of Anthropic, `claude-sonnet-4-6`, over the Messages API. */
export function anthropic(modelId: string, options?: ProviderOptions): AgentModel {
  return presetModel("anthropic", modelId, options);
}

/** A model of OpenAI, for example `gpt-5.2`, over the Responses API. */
export function openai(modelId: string, options?: ProviderOptions): AgentModel {
  return presetModel("openai", modelId, options);
}

/** A model of OpenAI, over Chat Completions; with `baseUrl` of any server that speaks it. */
export function openaiChat(modelId: string, options?: ProviderOptions): AgentModel {
  return presetModel("openai-chat", modelId, options);
}

/** A model of Google's Gemini, over its compatible endpoint. */
export function gemini(modelId: string, options?: ProviderOptions): AgentModel {
  return presetModel("gemini", modelId, options);
}

/** A model of DeepSeek. */
export function deepseek(modelId: string, options?: ProviderOptions): AgentModel {
  return presetModel("deepseek", modelId, options);
}

/** A model of Mistral. */
export function mistral(modelId: string, options?: ProviderOptions): AgentModel {
  return presetModel("mistral", modelId, options);
}

/** A model of Groq. */
export function groq(modelId: string, options?: ProviderOptions): AgentModel {
  return presetModel("groq", modelId, options);
}

/** A model of xAI. */
export function xai(modelId: string, options?: ProviderOptions): AgentModel {
  return presetModel("xai", modelId, options);
}

/** A model of OpenRouter. */
export function openrouter(modelId: string, options?: ProviderOptions): AgentModel {
  return presetModel("openrouter", modelId, options);
}

/** A model of Together. */
export function together(modelId: string, options?: ProviderOptions): AgentModel {
  return presetModel("together", modelId, options);
}

/** A model of a local Ollama. */
export function ollama(modelId: string, options?: ProviderOptions): AgentModel {
  return presetModel("ollama", modelId, options);
}

/** A model of a local LM Studio. */
export function lmstudio(modelId: string, options?: ProviderOptions): AgentModel {
  return presetModel("lmstudio", modelId, options);
}

/** A model of a vLLM server. */
export function vllm(modelId: string, options?: ProviderOptions): AgentModel {
  return presetModel("vllm", modelId, options);
}

/** A model of a llama.cpp server. */
export function llamacpp(modelId: string, options?: ProviderOptions): AgentModel {
  return presetModel("llamacpp", modelId, options);
}
