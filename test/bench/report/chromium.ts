import { execFileSync } from "node:child_process";

/** Path of the Chromium of this machine, or `undefined` where there is none: tests of the page then skip themselves. */
export const chromiumPath = ["chromium", "chromium-browser", "google-chrome"].map(find).find((path) => path !== undefined);

/** Stands in the names of tests that were skipped. */
export const reason = chromiumPath === undefined ? " (skipped: there is no chromium on this machine)" : "";

function find(name: string): string | undefined {
  try {
    return execFileSync("which", [name], { encoding: "utf8" }).trim() || undefined;
  } catch {
    return undefined; // not found
  }
}
