import { COMPATIBLE_CHAT_QUIRKS, LOCAL_CHAT_QUIRKS, type ReasoningReplay } from "./chat-quirks.js";
import type { ProviderPreset } from "./provider-preset.js";

/** The providers that can be named without saying more. */
export const presets = {
  openai: {
    protocol: "openai-responses",
    baseUrl: "https://api.openai.com/v1",
    keyVariables: ["OPENAI_API_KEY"],
  },
  "openai-chat": {
    protocol: "openai-chat",
    baseUrl: "https://api.openai.com/v1",
    keyVariables: ["OPENAI_API_KEY"],
  },
  anthropic: {
    protocol: "anthropic-messages",
    baseUrl: "https://api.anthropic.com",
    keyVariables: ["ANTHROPIC_API_KEY"],
    structuredOutput: (modelId) => !/claude-(?:[23]|instant|(?:opus|sonnet)-4(?:-0|-2025|$))/.test(modelId),
  },
  gemini: {
    protocol: "openai-chat",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    quirks: { ...COMPATIBLE_CHAT_QUIRKS, emptyContent: "omitted" },
  },
  deepseek: {
    protocol: "openai-chat",
    baseUrl: "https://api.deepseek.com",
    keyVariables: ["DEEPSEEK_API_KEY"],
    quirks: (modelId) => ({
      ...COMPATIBLE_CHAT_QUIRKS,
      replayReasoning: deepseekReplay(modelId),
      reasoningOption: "thinking",
      emptyContent: "empty",
      images: false,
      files: "none",
      structuredOutput: "json_object",
    }),
  },
  mistral: {
    protocol: "openai-chat",
    baseUrl: "https://api.mistral.ai/v1",
    keyVariables: ["MISTRAL_API_KEY"],
    quirks: {
      ...COMPATIBLE_CHAT_QUIRKS,
      streamUsage: false,
      seedField: "random_seed",
      reasoningOption: "none",
      emptyContent: "empty",
      mergeNeighbours: true,
      userAfterTool: false,
      files: "document_url",
      callIds: "nine-alphanumerics",
      requiredToolChoice: "any",
    },
  },
  groq: {
    protocol: "openai-chat",
    baseUrl: "https://api.groq.com/openai/v1",
    keyVariables: ["GROQ_API_KEY"],
    quirks: { ...COMPATIBLE_CHAT_QUIRKS, maxTokensField: "max_completion_tokens", files: "none" },
  },
  xai: {
    protocol: "openai-chat",
    baseUrl: "https://api.x.ai/v1",
    keyVariables: ["XAI_API_KEY"],
    quirks: { ...COMPATIBLE_CHAT_QUIRKS, files: "none", structuredOutputWithTools: true },
  },
  openrouter: {
    protocol: "openai-chat",
    baseUrl: "https://openrouter.ai/api/v1",
    keyVariables: ["OPENROUTER_API_KEY"],
    quirks: { ...COMPATIBLE_CHAT_QUIRKS, reasoningFields: ["reasoning", "reasoning_content"], reasoningOption: "reasoning" },
  },
  together: {
    protocol: "openai-chat",
    baseUrl: "https://api.together.xyz/v1",
    keyVariables: ["TOGETHER_API_KEY", "TOGETHERAI_API_KEY"],
    quirks: { ...COMPATIBLE_CHAT_QUIRKS, reasoningFields: ["reasoning", "reasoning_content"], files: "none" },
  },
  moonshot: {
    protocol: "openai-chat",
    baseUrl: "https://api.moonshot.ai/v1",
    keyVariables: ["MOONSHOT_API_KEY"],
    quirks: {
      ...COMPATIBLE_CHAT_QUIRKS,
      replayReasoning: "always",
      reasoningOption: "none",
      files: "none",
      structuredOutput: "json_object",
    },
  },
  zai: {
    protocol: "openai-chat",
    baseUrl: "https://api.z.ai/api/paas/v4",
    keyVariables: ["ZAI_API_KEY", "ZHIPUAI_API_KEY"],
    quirks: {
      ...COMPATIBLE_CHAT_QUIRKS,
      replayReasoning: "always",
      reasoningOption: "thinking",
      files: "none",
      structuredOutput: "json_object",
    },
  },
  cerebras: {
    protocol: "openai-chat",
    baseUrl: "https://api.cerebras.ai/v1",
    keyVariables: ["CEREBRAS_API_KEY"],
    quirks: { ...COMPATIBLE_CHAT_QUIRKS, maxTokensField: "max_completion_tokens", images: false, files: "none" },
  },
  fireworks: {
    protocol: "openai-chat",
    baseUrl: "https://api.fireworks.ai/inference/v1",
    keyVariables: ["FIREWORKS_API_KEY"],
    quirks: { ...COMPATIBLE_CHAT_QUIRKS, files: "none" },
  },
  ollama: {
    protocol: "openai-chat",
    baseUrl: "http://127.0.0.1:11434/v1",
    baseUrlVariable: "OLLAMA_BASE_URL",
    optionalKeyVariables: ["OLLAMA_API_KEY"],
    quirks: { ...LOCAL_CHAT_QUIRKS, reasoningFields: ["reasoning", "reasoning_content"], files: "none" },
  },
  lmstudio: {
    protocol: "openai-chat",
    baseUrl: "http://127.0.0.1:1234/v1",
    baseUrlVariable: "LMSTUDIO_BASE_URL",
    optionalKeyVariables: ["LM_API_TOKEN"],
    quirks: { ...LOCAL_CHAT_QUIRKS, reasoningOption: "none", files: "none" },
  },
  vllm: {
    protocol: "openai-chat",
    baseUrl: "http://127.0.0.1:8000/v1",
    baseUrlVariable: "VLLM_BASE_URL",
    optionalKeyVariables: ["VLLM_API_KEY"],
    quirks: { ...LOCAL_CHAT_QUIRKS, reasoningFields: ["reasoning", "reasoning_content"], reasoningOption: "none", files: "none" },
  },
  llamacpp: {
    protocol: "openai-chat",
    baseUrl: "http://127.0.0.1:8080/v1",
    baseUrlVariable: "LLAMACPP_BASE_URL",
    optionalKeyVariables: ["LLAMA_API_KEY"],
    quirks: { ...LOCAL_CHAT_QUIRKS, reasoningOption: "none", files: "none" },
  },
} as const satisfies Record<string, ProviderPreset>;

/** Name of a provider that comes with triact. */
export type PresetName = keyof typeof presets;

/** R1 refuses its earlier reasoning; V3.2 wants it within a tool turn; V4 wants it for good. See DeepSeek, "Thinking mode". */
function deepseekReplay(modelId: string): ReasoningReplay {
  if (/r1/i.test(modelId)) return "never";
  return /v4/i.test(modelId) ? "always" : "tool-turns";
}
