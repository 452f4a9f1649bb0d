import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Folder that holds package.json, with a separator at its end. */
export const projectRoot = fileURLToPath(new URL("../", import.meta.url));

/** Every TypeScript file under `src`, as paths relative to `root` with forward slashes, sorted. */
export function sourceFiles(root: string): string[] {
  return globSync("src/**/*.ts", { cwd: root })
    .map((file) => file.replaceAll("\\", "/"))
    .sort();
}

/** One-based line of an offset. */
export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** Prints the problems of a check and sets the exit code; says `fine` when there are none. */
export function report(problems: readonly string[], fine: string): void {
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) {
    console.error(`\n${problems.length} ${problems.length === 1 ? "problem" : "problems"}.`);
    process.exitCode = 1;
  } else console.log(fine);
}
