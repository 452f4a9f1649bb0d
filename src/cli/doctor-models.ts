/**
 * The model that `triact doctor` asks each provider for, when no other is named: small and cheap. Providers retire models, so this table may age; a
 * provider that does not know the model has recognised the key, which is what is asked.
 */
export const doctorModels: Readonly<Record<string, string>> = {
  openai: "gpt-5-mini",
  "openai-chat": "gpt-5-mini",
  anthropic: "claude-haiku-4-5",
  gemini: "gemini-2.5-flash",
  deepseek: "deepseek-chat",
  mistral: "mistral-small-latest",
  groq: "llama-3.1-8b-instant",
  xai: "grok-4-fast",
  openrouter: "openai/gpt-5-mini",
  together: "meta-llama/Llama-3.3-70B-Instruct-Turbo",
  moonshot: "kimi-k2-turbo-preview",
  zai: "glm-4.6",
  cerebras: "llama3.1-8b",
  fireworks: "accounts/fireworks/models/llama-v3p1-8b-instruct",
};
