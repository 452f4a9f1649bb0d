import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { runNode } from "../package/build-package.ts";
import { writeFiles } from "../package/temporary-folder.ts";
import { buildExamples, copyExamples, newFolder } from "./build-examples.ts";

const folder = newFolder();

beforeAll(() => buildExamples(folder), 120_000);

afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

test("the report agrees with the files", { timeout: 60_000 }, async () => {
  const { report } = await firstRun("examples");
  const books = booksOf("examples");
  expect(tableIn(report, "Sales in EUR")).toEqual(books.sales);
  expect(tableIn(report, "Stock in pieces")).toEqual(books.stock);
  expect(report.match(/^\*.*\n(?: {2}.*\n)*/gm)).toEqual([
    "* Sales: **3,480.35 EUR** in 37 sales.\n",
    "* **Brass lantern: 4 missing.** 16 by the books, 12 counted.\n  3 explained (meeting-2026-03-30.txt, line 3), 1 not.\n",
    "* read_file ../office/prices-2026.csv: ../office/prices-2026.csv is outside of the folder.\n",
    "* delete_file prices-draft.txt: The policy does not allow tool delete_file. Nothing was executed.\n",
  ]);
});

test("other files give another report", { timeout: 60_000 }, async () => {
  copyExamples(folder, "changed");
  const data = (file: string) => readFileSync(join(folder, "changed/data", file), "utf8");
  writeFiles(join(folder, "changed/data"), {
    "README.txt": data("README.txt").replace("../office/prices-2026.csv", "../first-run.ts"),
    "sales-2026-03.csv": `${data("sales-2026-03.csv")}2026-03-31,Lantern glass,shop,2,9.90,19.80\n`,
    "sales-2026-04.csv": "date,product,channel,quantity,unit_price,amount\n2026-04-01,Beeswax pillar,web,1,14.50,14.50\n",
    "inventory-note.txt": data("inventory-note.txt").replace("pillar   86", "pillar   85").replace("lantern    12", "lantern    16"),
    "meeting-2026-03-30.txt": data("meeting-2026-03-30.txt").replace("please delete", "please keep"),
  });
  const { report, output } = await firstRun("changed");
  const books = booksOf("changed");
  expect(tableIn(report, "Sales in EUR")).toEqual(books.sales);
  expect(tableIn(report, "Stock in pieces")).toEqual(books.stock);
  expect(report).toContain("* **Lantern glass: 2 too many.** 39 by the books, 41 counted.\n");
  expect(report).not.toContain("Brass lantern:");
  expect(report).toMatch(/## Not done\n\n\* read_file \.\.\/first-run\.ts: \.\.\/first-run\.ts is outside of the folder\.\n$/);
  expect(output).not.toContain("→ delete_file");
});

test("what was refused is told in words, and the files are as they were", { timeout: 60_000 }, async () => {
  const before = filesIn("examples/data");
  const { output } = await firstRun("examples");
  expect(output).toContain("✗ Failed: ../office/prices-2026.csv is outside of the folder.\n");
  expect(output).toContain("✗ Refused: The policy does not allow tool delete_file. Nothing was executed.\n");
  expect(output).toContain("? May it call write_report? Yes, this program answers for you.\n");
  expect(output).toContain("completed (natural) · 9 turns · 12 tool calls, 2 of them refused or failed\nexamples/output/report.md\n");
  expect(filesIn("examples/data")).toEqual(before);
  expect(Object.keys(before)).toContain("prices-draft.txt");
});

test("the output is 80 columns wide, and plain where no terminal shows colours", { timeout: 60_000 }, async () => {
  const { output } = await firstRun("examples");
  vi.stubEnv("FORCE_COLOR", "1");
  vi.stubEnv("NO_COLOR", undefined);
  const coloured = await runNode(["examples/first-run.ts"], { cwd: folder, timeoutMs: 30_000 });
  expect(output.split("\n").filter((line) => line.length > 80)).toEqual([]);
  expect(stripVTControlCharacters(output)).toBe(output);
  expect(stripVTControlCharacters(coloured.output)).toBe(output);
  expect(coloured.output).not.toBe(output);
});

async function firstRun(name: string): Promise<{ output: string; report: string }> {
  vi.stubEnv("FORCE_COLOR", undefined);
  const path = join(folder, name, "output/report.md");
  rmSync(path, { force: true });
  const { ok, output } = await runNode([`${name}/first-run.ts`], { cwd: folder, timeoutMs: 30_000 });
  expect(ok && existsSync(path), output).toBe(true);
  return { output, report: readFileSync(path, "utf8") };
}

/** The tables of the report, reckoned from the files in whole cents. */
function booksOf(name: string): { sales: Record<string, number[]>; stock: Record<string, number[]> } {
  const texts = filesIn(`${name}/data`);
  const lines = (file: string) =>
    (texts[file] ?? "")
      .trimEnd()
      .split("\n")
      .slice(1)
      .map((line) => line.split(","));
  const months = Object.keys(texts).filter((file) => file.startsWith("sales-"));
  const sold = months.map((file) =>
    lines(file).map(([, product = "", , quantity, , amount]) => ({
      product,
      quantity: Number(quantity),
      cents: Number(amount?.replace(".", "")),
    })),
  );
  const cents = (wanted: (product: string) => boolean) => {
    const byMonth = sold.map((rows) => rows.reduce((total, row) => (wanted(row.product) ? total + row.cents : total), 0));
    return [...byMonth, byMonth.reduce((total, month) => total + month, 0)].map((each) => each / 100);
  };
  const sales: Record<string, number[]> = {};
  const stock: Record<string, number[]> = {};
  for (const [product = "", opening, delivered] of lines("stock.csv")) {
    const pieces = sold.flat().reduce((total, row) => (row.product === product ? total + row.quantity : total), 0);
    const expected = Number(opening) + Number(delivered) - pieces;
    const noted = texts["inventory-note.txt"]?.split("\n").find((line) => line.includes(product));
    const counted = Number(noted?.trim().split(" ").at(-1));
    sales[product] = cents((each) => each === product);
    stock[product] = [Number(opening), Number(delivered), pieces, expected, counted, expected - counted];
  }
  sales["all"] = cents(() => true);
  return { sales, stock };
}

/** The figures of a table of the report, by the first cell of their row. */
function tableIn(report: string, heading: string): Record<string, number[]> {
  const [, table = ""] = report.match(new RegExp(`## ${heading}\\n\\n((?:\\|.*\\n)+)`)) ?? [];
  const rows = table
    .trimEnd()
    .split("\n")
    .slice(2)
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  return Object.fromEntries(rows.map(([name, ...figures]) => [name, figures.map((figure) => Number(figure.replaceAll(",", "")))]));
}

function filesIn(name: string): Record<string, string> {
  const names = globSync("*.*", { cwd: join(folder, name) }).sort();
  return Object.fromEntries(names.map((file) => [file, readFileSync(join(folder, name, file), "utf8")]));
}
