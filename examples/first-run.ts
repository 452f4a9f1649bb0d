/**
 * What `npm run example:files` runs: an agent goes through a small company's folder, adds up its sales, finds what its stock is short of, and writes a report.
 *
 * It needs no key and no network: the model is scripted (support/scripted-bookkeeper.ts). All else is real: the files, the tools, the loop, the policies.
 */
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { Agents, createTool } from "triact";
import { z } from "zod";
import { scriptedBookkeeper } from "./support/scripted-bookkeeper.ts";
import { Terminal } from "./support/terminal.ts";

const folder = join(import.meta.dirname, "data");
const report = join(import.meta.dirname, "output", "report.md");
const terminal = new Terminal();

// The tools. What they throw is told to the model, so it names nothing of this machine.

const file = z.string().describe("Name of a file, as list_files gives it");

const listFiles = createTool({
  name: "list_files",
  description: "Lists the names of all files in the folder.",
  inputSchema: z.object({}),
  execute: async () => (await readdir(folder, { withFileTypes: true })).flatMap((entry) => (entry.isFile() ? entry.name : [])).sort(),
});

const readTextFile = createTool({
  name: "read_file",
  description: "Reads a file as text.",
  inputSchema: z.object({ file }),
  execute: ({ file }) => readFile(pathOf(file), "utf8"),
});

const searchText = createTool({
  name: "search_text",
  description: "Finds the lines of all notes (.txt) that hold the words, whatever their case. Gives FILE:LINE: TEXT.",
  inputSchema: z.object({ words: z.string().min(1) }),
  execute: async ({ words }) => {
    const notes = (await readdir(folder)).filter((name) => name.endsWith(".txt")).sort();
    const lines = notes.map(async (name) => (await linesOf(name)).map((text, index) => `${name}:${index + 1}: ${text.trim()}`));
    return (await Promise.all(lines)).flat().filter((line) => line.toLowerCase().includes(words.toLowerCase()));
  },
});

const sumColumns = createTool({
  name: "sum_columns",
  description: "Counts the rows of a CSV file and adds up columns, in total and for each value of the column `by`.",
  inputSchema: z.object({ file, by: z.string(), columns: z.array(z.string()).min(1) }),
  execute: async ({ file, by, columns }) => {
    const rows = await rowsOf(file, [by, ...columns]);
    const groups = Object.entries(Object.groupBy(rows, (row) => row[by] ?? ""));
    const sums = groups.map(([value, some = []]) => [value, sumsOf(some, columns)]);
    return { rows: rows.length, total: sumsOf(rows, columns), groups: Object.fromEntries(sums) };
  },
});

const deleteFile = createTool({
  name: "delete_file",
  description: "Deletes a file for good.",
  inputSchema: z.object({ file }),
  execute: async ({ file }) => {
    await rm(pathOf(file));
    return `${file} is gone.`;
  },
});

const writeReport = createTool({
  name: "write_report",
  description: "Writes the report, in Markdown. It replaces an earlier one.",
  inputSchema: z.object({ markdown: z.string().min(1) }),
  execute: async ({ markdown }) => {
    await mkdir(dirname(report), { recursive: true });
    await writeFile(report, markdown);
    return `The report has ${markdown.trimEnd().split("\n").length} lines.`;
  },
});

/** The path of a file in the folder, and of no other. */
function pathOf(file: string): string {
  const path = resolve(folder, file);
  if (dirname(path) !== folder) throw new Error(`${file} is outside of the folder.`);
  if (!existsSync(path)) throw new Error(`There is no file ${file}. list_files gives the names.`);
  return path;
}

async function linesOf(file: string): Promise<string[]> {
  return (await readFile(pathOf(file), "utf8")).trimEnd().split(/\r?\n/);
}

/** The rows of a CSV file, by column. No file here has quoted values. */
async function rowsOf(file: string, needed: readonly string[]): Promise<Record<string, string>[]> {
  const [columns = [], ...rows] = (await linesOf(file)).map((line) => line.split(","));
  const missing = needed.find((column) => !columns.includes(column));
  if (missing !== undefined) throw new Error(`${file} has no column ${missing}. It has ${columns.join(", ")}.`);
  return rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index] ?? ""])));
}

function sumsOf(rows: readonly Record<string, string>[], columns: readonly string[]): Record<string, number> {
  const sum = (column: string) => rows.reduce((total, row) => total + Number(row[column]), 0);
  return Object.fromEntries(columns.map((column) => [column, Math.round(sum(column) * 100) / 100]));
}

// The agent. It may read as it likes, must ask before it writes, and cannot delete, whatever the model wants.

const tools = [listFiles, readTextFile, searchText, sumColumns, deleteFile, writeReport];

const agent = Agents.builder()
  .model(scriptedBookkeeper())
  .systemPrompt("You keep the books of a small company. Every figure you give comes from its files.")
  .tools(...tools)
  .toolPolicies({ write_report: { autoApprove: false }, delete_file: { enabled: false } })
  .requestToolApproval(() => {
    terminal.answer("Yes, this program answers for you.");
    return { approved: true };
  })
  .hooks({ onEvent: terminal.pace })
  .maxIterations(20)
  .build();

// The run.

const goal = "How did the quarter go, and does the stock agree with the books? Write a report.";
terminal.header("triact: a first run", {
  Goal: goal,
  Model: "scripted, without a key or the network; it works on what the tools return",
  Tools: tools.map(({ name }) => name).join(", "),
});

agent.subscribe(terminal.show);
const result = await agent.run(goal);

terminal.summary(result);
if (result.status === "completed") terminal.head(relative(process.cwd(), report), await readFile(report, "utf8"), 15);
else process.exitCode = 1;
