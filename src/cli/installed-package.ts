import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";

/** The version of a package that triact can load; `undefined` when it is not installed. Nothing of it is loaded. */
export function installedVersion(name: string): string | undefined {
  try {
    const path = findPackageJSON(name, import.meta.url);
    if (path === undefined) return undefined;
    const { version } = JSON.parse(readFileSync(path, "utf8")) as { version?: unknown };
    return typeof version === "string" ? version : "unknown";
  } catch {
    return undefined; // Node throws for a package that it does not find
  }
}
