/**
 * Research in a small archive: a plan, researchers that work at the same time, and a report that cites its sources. The documents in `data/corpus` are
 * invented, and some of them contradict each other.
 *
 * It needs no key: the model is scripted (support/scripted-researcher.ts). With `--model provider:model` a real one does the work, for example
 * `--model anthropic:claude-sonnet-4-6`; its key is read from the environment.
 */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { Agents, createTool, DeepResearchRuntime, evidenceOf, modelFor, splitModelName } from "triact";
import { z } from "zod";
import { Checklist } from "./support/checklist.ts";
import { scriptedResearcher } from "./support/scripted-researcher.ts";

const corpus = join(import.meta.dirname, "data/corpus");
const output = join(import.meta.dirname, "output");
const { model: modelName } = parseArgs({ options: { model: { type: "string" } } }).values;

// The tools. What they return has a path and a title: by these the runtime tells one source from another.

const search = createTool({
  name: "search",
  description: 'Finds documents that hold all or most of the words, best first. Text in "double quotes" is looked for as it stands.',
  inputSchema: z.object({ words: z.string().min(1) }),
  execute: async ({ words }) => {
    const wanted = [...words.matchAll(/"([^"]+)"|\S+/g)].map(([word, quoted]) => quoted?.toLowerCase() ?? stemOf(word));
    const countIn = (text: string) => wanted.filter((word) => text.toLowerCase().includes(word)).length;
    const hits = (await documents()).map(({ text, ...document }) => {
      const [line = ""] = sentencesOf(text).toSorted((a, b) => countIn(b) - countIn(a));
      return { ...document, line, count: countIn(text), inLine: countIn(line) };
    });
    const fitting = hits.filter(({ count }) => count >= Math.max(1, wanted.length - 1));
    const best = fitting.sort((a, b) => b.inLine - a.inLine || b.count - a.count).slice(0, 6);
    return best.map(({ path, title, line }) => ({ path, title, line }));
  },
});

const open = createTool({
  name: "open",
  description: "Gives a document as a whole.",
  inputSchema: z.object({ path: z.string().describe("As search gives it") }),
  execute: async ({ path }) => {
    const document = (await documents()).find((each) => each.path === path);
    if (document === undefined) throw new Error(`There is no document ${path}. search gives the paths.`);
    return document;
  },
});

async function documents() {
  const paths = (await readdir(corpus)).filter((name) => name.endsWith(".md")).sort();
  return Promise.all(
    paths.map(async (path) => {
      const text = await readFile(join(corpus, path), "utf8");
      return { path, title: /^# (.+)$/m.exec(text)?.[1] ?? path, text };
    }),
  );
}

function sentencesOf(text: string): string[] {
  const sentences = text.replaceAll(/(?<!\n)\n(?=[^\n*#])/g, " ").split(/\n+|(?<=[.!?])\s+/);
  return sentences.filter((line) => !line.startsWith("#")).map((line) => line.replace(/^\* /, "").trim());
}

/** The beginning of a word is enough: "crossing" finds "crossed". */
function stemOf(word: string): string {
  return word.toLowerCase().slice(0, Math.max(4, word.length - 2));
}

// The agent.

const checklist = new Checklist();
const agent = Agents.builder()
  .model(modelName === undefined ? scriptedResearcher() : modelFor(splitModelName(modelName)))
  .systemPrompt("You research in the archive of a small town. Sources may err: where they contradict each other, say so.")
  .tools(search, open)
  .runtime(new DeepResearchRuntime({ evidence: true, parallel: true }))
  .hooks({ onEvent: checklist.pace })
  .build();
agent.subscribe(checklist.show);

// The run.

const task =
  "The chain ferry Margrethe: when was her last crossing, how many passengers did she carry, why was the service closed, and where is her hull today?";
console.log(`${task}\n`);
const result = await agent.run(task);

const { status, endedBy, error, outputText, messages } = result;
console.log(`\n${status} (${endedBy})${error === undefined ? "" : `: ${error.message}`}`);
if (status === "completed") {
  const path = join(output, "margrethe.md");
  await mkdir(output, { recursive: true });
  await writeFile(path, withLinks(outputText));
  console.log(`${relative(process.cwd(), path)}\n\n${outputText}`);
} else process.exitCode = 1;

/** The list of sources, which the runtime wrote, as a section with links to the documents. */
function withLinks(report: string): string {
  const sources = new Map(evidenceOf(messages).map((entry) => [`[${entry.number}]`, entry]));
  const [body = "", list = ""] = report.split("\n\nSources:\n");
  const lines = list.split("\n").map((line) => {
    const [number = ""] = /^\[\d+\]/.exec(line) ?? [];
    const { title, source = "" } = sources.get(number) ?? {};
    return `* ${number} [${title ?? source}](${relative(output, join(corpus, source))})`;
  });
  return `${body}\n\n## Sources\n\n${lines.join("\n")}\n`;
}
