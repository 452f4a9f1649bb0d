import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runNode } from "../package/build-package.ts";
import { writeFiles } from "../package/temporary-folder.ts";
import { buildExamples, copyExamples, newFolder } from "./build-examples.ts";

const folder = newFolder();

beforeAll(() => buildExamples(folder), 120_000);

afterAll(() => rmSync(folder, { recursive: true }));

test("each question has its section, and each section quotes documents that say so", { timeout: 60_000 }, async () => {
  const { report, sources, quotes } = await research("examples");
  expect(report.match(/^#.*$/gm)).toEqual([
    "# The chain ferry Margrethe",
    "## When was her last crossing?",
    "## How many passengers did she carry?",
    "## Why was the service closed?",
    "## Where is her hull today?",
    "## Which of these findings name different values for the same thing?",
    "## Sources",
  ]);
  expect(quotes.length).toBeGreaterThan(20);
  for (const { quote, number } of quotes) expect(textAt("examples", sources.get(number)), quote).toContain(quote);
});

test("citations and list of sources agree, and every source is a document", { timeout: 60_000 }, async () => {
  const { sources, body } = await research("examples");
  const cited = new Set([...body.matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number)));
  expect([...sources.keys()]).toEqual([...cited].sort((a, b) => a - b));
  for (const path of sources.values()) expect(existsSync(join(folder, "examples/output", path)), path).toBe(true);
  expect(new Set(sources.values()).size).toBe(sources.size);
});

test("documents that contradict each other are told, and other documents give another report", { timeout: 60_000 }, async () => {
  const { report } = await research("examples");
  expect(report).toContain("14 March 1987, or 30 March 1987?\n\n* **14 March 1987** stands in 3 documents:\n");
  expect(report).toContain("126,900 passengers, or 118,400 passengers?\n");
  copyExamples(folder, "changed");
  const herald = "data/corpus/herald-1987-03-31.md";
  const text = readFileSync(join(folder, "changed", herald), "utf8").replace("30 March 1987", "14 March 1987");
  writeFiles(join(folder, "changed"), { [herald]: text });
  const changed = await research("changed");
  expect(changed.report).not.toContain("14 March 1987, or");
  expect(changed.report).toContain("Her last crossing was on 14 March 1987, in fog");
});

test("the plan is a checklist that ticks off, with the calls of its researchers", { timeout: 60_000 }, async () => {
  const { output } = await research("examples");
  expect(output.match(/^[☐☑☒] \d/gm)?.slice(0, 5)).toEqual(["☐ 1", "☐ 2", "☐ 3", "☐ 4", "☐ 5"]);
  expect(output.match(/^☑ \d/gm)?.toSorted()).toEqual(["☑ 1", "☑ 2", "☑ 3", "☑ 4", "☑ 5"]);
  expect(output).toMatch(/^☑ 4\. Where is her hull today\?\n {5}✓ search {2}Margrethe hull today\n(?: {5}✓ open {2}\S+\.md\n)+/m);
  expect(output).toContain("\ncompleted (natural)\nexamples/output/margrethe.md\n");
});

interface Research {
  readonly output: string;
  readonly report: string;
  /** The report without its list of sources. */
  readonly body: string;
  /** Paths of the sources, as the report links to them, by number. */
  readonly sources: ReadonlyMap<number, string>;
  readonly quotes: readonly { readonly quote: string; readonly number: number }[];
}

async function research(name: string): Promise<Research> {
  const path = join(folder, name, "output/margrethe.md");
  rmSync(path, { force: true });
  const { ok, output } = await runNode([`${name}/deep-research.ts`], { cwd: folder, timeoutMs: 30_000 });
  expect(ok && existsSync(path), output).toBe(true);
  const report = readFileSync(path, "utf8");
  const [body = "", list = ""] = report.split("\n## Sources\n");
  const links = [...list.matchAll(/^\* \[(\d+)\] \[.+\]\((.+)\)$/gm)];
  const sources = new Map(links.map(([, number, target = ""]) => [Number(number), target]));
  const quotes = [...body.matchAll(/^ *\* (.+) \[(\d+)\]$/gm)].map(([, quote = "", number]) => ({ quote, number: Number(number) }));
  return { output, report, body, sources, quotes };
}

/** The text of a source, with its lines joined. */
function textAt(name: string, path = ""): string {
  return readFileSync(join(folder, name, "output", path), "utf8").replaceAll("\n", " ");
}
