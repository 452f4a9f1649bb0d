import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../../scripts/source-files.ts";
import type { Command, CommandRow } from "../../src/cli/command.ts";
import { commands } from "../../src/cli/commands.ts";
import { exitCodes } from "../../src/cli/exit-codes.ts";
import { parseFlags } from "../../src/cli/parse-flags.ts";
import { readMarkdown } from "../docs/markdown.ts";

const page = readFileSync(join(projectRoot, "docs/command.md"), "utf8");
const lines = ["README.md", "docs/command.md", "docs/benchmarking.md", "docs/runtimes.md", "docs/providers.md", "docs/codeact.md"].flatMap(
  (file) => {
    const { fences } = readMarkdown(readFileSync(join(projectRoot, file), "utf8"));
    return fences.filter(({ info }) => info === "sh").flatMap(({ code }) => code.filter((line) => /^(npx )?triact /.test(line)));
  },
);

test.for(lines)("%s can be typed like that", async (line) => {
  const [, ...words] = wordsOf(line.replace(/^npx /, ""));
  if (words[0] === "--help") return;
  const all = await everyCommand(commands);
  const name = [words.slice(0, 2).join(" "), words[0] ?? ""].find((each) => all.has(each)) ?? "";
  expect([...all.keys()]).toContain(name);
  const args = words.slice(name.split(" ").length);
  expect(() => parseFlags(name, { specs: all.get(name)?.flags ?? {}, args })).not.toThrow();
});

test("the page names every command, every flag and every exit code", async () => {
  for (const [name, { flags }] of await everyCommand(commands)) {
    expect(page).toContain(`\`triact ${name}`);
    for (const flag of Object.keys(flags)) expect(page).toMatch(new RegExp(`\`--${flag}[ \`]`));
  }
  for (const code of Object.values(exitCodes)) expect(page).toContain(`\n| ${code} | `);
});

/** Every command by its full name, the commands of a command included. */
async function everyCommand(rows: Readonly<Record<string, CommandRow>>, parent = ""): Promise<ReadonlyMap<string, Command>> {
  const found = new Map<string, Command>();
  for (const [name, { load }] of Object.entries(rows)) {
    const command = await load();
    found.set(parent + name, command);
    for (const [inner, each] of await everyCommand(command.subcommands ?? {}, `${parent}${name} `)) found.set(inner, each);
  }
  return found;
}

/** The words of a line as a shell cuts it, up to a comment, a pipe or a redirection. */
function wordsOf(line: string): string[] {
  const words = line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  const end = words.findIndex((word) => /^[#|<>]/.test(word));
  return words.slice(0, end < 0 ? words.length : end).map((word) => word.replaceAll(/["']/g, ""));
}
