import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../../scripts/source-files.ts";
import { type CommandRow, commands } from "../../src/cli/commands.ts";
import { exitCodes } from "../../src/cli/exit-codes.ts";
import { parseFlags } from "../../src/cli/parse-flags.ts";
import { readMarkdown } from "../docs/markdown.ts";

const page = readFileSync(join(projectRoot, "docs/command.md"), "utf8");
const lines = ["README.md", "docs/command.md"].flatMap((file) => {
  const { fences } = readMarkdown(readFileSync(join(projectRoot, file), "utf8"));
  return fences.filter(({ info }) => info === "sh").flatMap(({ code }) => code.filter((line) => /^(npx )?triact /.test(line)));
});

/** Every command by what stands behind `triact`. */
const rows: Readonly<Record<string, CommandRow>> = Object.fromEntries(
  Object.entries(commands).flatMap(([name, row]) =>
    "load" in row ? [[name, row] as const] : Object.entries(row.commands).map(([second, inner]) => [`${name} ${second}`, inner] as const),
  ),
);

test.for(lines)("%s can be typed like that", async (line) => {
  const [, first = "", ...words] = wordsOf(line.replace(/^npx /, ""));
  if (first === "--help") return;
  const [name, args] = first in rows ? [first, words] : [`${first} ${words[0]}`, words.slice(1)];
  expect(Object.keys(rows)).toContain(name);
  const command = await rows[name]?.load();
  expect(() => parseFlags(name, { specs: command?.flags ?? {}, args })).not.toThrow();
});

test("the page names every command, every flag and every exit code", async () => {
  for (const [name, { load }] of Object.entries(rows)) {
    expect(page).toContain(`\`triact ${name}`);
    for (const flag of Object.keys((await load()).flags)) expect(page).toMatch(new RegExp(`\`--${flag}[ \`]`));
  }
  for (const code of Object.values(exitCodes)) expect(page).toContain(`\n| ${code} | `);
});

/** The words of a line as a shell cuts it, up to a comment, a pipe or a redirection. */
function wordsOf(line: string): string[] {
  const words = line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  const end = words.findIndex((word) => /^[#|<>]/.test(word));
  return words.slice(0, end < 0 ? words.length : end).map((word) => word.replaceAll(/["']/g, ""));
}
