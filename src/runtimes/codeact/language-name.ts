const ALIASES: Readonly<Record<string, string>> = { js: "javascript", mjs: "javascript", ts: "typescript", py: "python" };

/** The name under which executors know a language, for what models and people call it. */
export function toLanguage(name: string): string {
  const lower = name.trim().toLowerCase();
  return Object.hasOwn(ALIASES, lower) ? (ALIASES[lower] as string) : lower;
}
