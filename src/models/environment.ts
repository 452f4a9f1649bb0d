/** A variable of the environment, where there is one. An empty one counts as not set. */
export function environmentValue(name: string): string | undefined {
  const value = typeof process === "undefined" ? undefined : process.env?.[name]?.trim();
  return value === "" ? undefined : value;
}
