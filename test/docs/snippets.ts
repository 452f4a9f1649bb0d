import type { Fence } from "./markdown.ts";

/** One block of TypeScript and the blocks that continue it. */
export interface Snippet {
  /** Where its first line of code stands, as `path:line`. */
  readonly at: string;
  readonly file: string;
  readonly runs: boolean;
  /** The code, with empty lines before and between so that its line numbers are those of the Markdown file. */
  readonly text: string;
}

/**
 * Joins the TypeScript blocks of one file to snippets. A block is marked `ts`; `ts run` is executed as well and
 * `ts continue` goes on with the block before it (`ts run continue` does both).
 * @throws Error if a mark is none of these: there is no way to leave a block unchecked.
 */
export function snippetsOf(file: string, fences: readonly Fence[]): Snippet[] {
  const chains: { runs: boolean; blocks: Fence[] }[] = [];
  for (const fence of fences) {
    const [language = "", ...flags] = fence.info.split(/\s+/);
    if (["typescript", "mts", "cts", "tsx"].includes(language))
      throw new Error(`${file}:${fence.line - 1} Mark the block \`ts\`, not \`${language}\`.`);
    if (language !== "ts") continue;
    const unknown = flags.find((flag) => flag !== "run" && flag !== "continue");
    if (unknown !== undefined)
      throw new Error(`${file}:${fence.line - 1} A ts block may be marked \`run\` or \`continue\`, not \`${unknown}\`.`);
    const last = chains.at(-1);
    if (!flags.includes("continue")) chains.push({ runs: flags.includes("run"), blocks: [fence] });
    else if (last === undefined) throw new Error(`${file}:${fence.line - 1} There is no ts block before this one to continue.`);
    else chains[chains.length - 1] = { runs: last.runs || flags.includes("run"), blocks: [...last.blocks, fence] };
  }
  return chains.map(({ runs, blocks }) => ({ at: `${file}:${blocks[0]?.line}`, file, runs, text: textOf(blocks) }));
}

function textOf(blocks: readonly Fence[]): string {
  const lines: string[] = [];
  for (const { line, code } of blocks) {
    while (lines.length < line - 1) lines.push("");
    lines.push(...code);
  }
  return `${lines.join("\n")}\n`;
}
