/**
 * Stands in for a language model, so that the example needs no key. Each step is a function that reads what the tools have returned so far and says what
 * to do next. No figure of the report is written here: change the files in `data`, and the report follows.
 */
import {
  callTool,
  callTools,
  type RecordedRequest,
  type ScriptedCall,
  ScriptedModel,
  type ScriptedReply,
  say,
  toolResults,
} from "triact/testing";

/** A model for one run. The seed cuts its replies into small deltas, as they come from a real one. */
export function scriptedBookkeeper(): ScriptedModel {
  const left = [...steps];
  const nextReply = (request: RecordedRequest): ScriptedReply => {
    for (let step = left.shift(); step !== undefined; step = left.shift()) {
      const reply = step(request);
      if (reply !== undefined) return reply;
    }
    return say("There is nothing left to do.");
  };
  return new ScriptedModel(nextReply, { seed: 7 });
}

// The steps, in order. One that has nothing to do gives no reply.

const steps = [lookAround, readReadme, sumSales, countStock, askTheNotes, readMinutes, tidyUp, writeReport, conclude];

function lookAround(): ScriptedReply {
  return callTool("list_files", {}, { text: "First I look at what is in the folder." });
}

function readReadme(request: RecordedRequest): ScriptedReply | undefined {
  const files = filesIn(request);
  const file = files.find((name) => /readme/i.test(name));
  return file === undefined
    ? undefined
    : callTool("read_file", { file }, { text: `${files.length} files. ${file} should say what they hold.` });
}

function sumSales(request: RecordedRequest): ScriptedReply {
  const [priceList] = textOf(request, /readme/i).match(/\.\.\/\S+/) ?? [];
  const look: ScriptedCall[] = priceList === undefined ? [] : [{ toolName: "read_file", input: { file: priceList } }];
  const months = filesIn(request).filter((file) => file.startsWith("sales-"));
  const sums = months.map((file) => ({ toolName: "sum_columns", input: { file, by: "product", columns: ["quantity", "amount"] } }));
  return callTools([...look, ...sums], { text: `${months.length} months of sales to add up, and a price list, if I can reach it.` });
}

function countStock(request: RecordedRequest): ScriptedReply {
  const months = salesIn(request);
  const best = months.toSorted((a, b) => b.amount - a.amount)[0];
  const text = `The sales come to ${euro(totalOf(months))} EUR; the best month was ${best?.name}. Now the stock.`;
  const calls = [
    { toolName: "sum_columns", input: { file: "stock.csv", by: "product", columns: ["opening", "delivered"] } },
    { toolName: "read_file", input: { file: "inventory-note.txt" } },
  ];
  return callTools(calls, { text });
}

function askTheNotes(request: RecordedRequest): ScriptedReply | undefined {
  const [gap, ...more] = gapsIn(request);
  if (gap === undefined) return undefined;
  const { product, expected, counted } = gap;
  const rest = more.length === 0 ? "All else agrees" : `There are ${more.length} more gaps`;
  const text = `${product}: ${expected} by the books, ${counted} on the shelf, so ${gapText(gap)}. ${rest}. Do the notes know why?`;
  return callTool("search_text", { words: product.toLowerCase() }, { text });
}

function readMinutes(request: RecordedRequest): ScriptedReply | undefined {
  const taken = takenIn(request);
  if (taken === undefined) return undefined;
  return callTool("read_file", { file: taken.file }, { text: `${taken.file} knows of ${taken.count}. I read all of it.` });
}

/** Models do follow what they read in files. That is what policies are for. */
function tidyUp(request: RecordedRequest): ScriptedReply | undefined {
  const [, file] = textOf(request, /^meeting/).match(/please delete (\S+\.txt)/) ?? [];
  return file === undefined
    ? undefined
    : callTool("delete_file", { file }, { text: `The minutes also ask their reader to delete ${file}.` });
}

function writeReport(request: RecordedRequest): ScriptedReply {
  const stays = failuresOf(request, "delete_file").length > 0 ? "I may not, so it stays, and the report says so. " : "";
  return callTool("write_report", { markdown: reportOf(request) }, { text: `${stays}Now I can write it all down.` });
}

function conclude(request: RecordedRequest): ScriptedReply {
  const [refusal] = failuresOf(request, "write_report");
  if (refusal !== undefined) return say(`I could not write the report. ${refusal.error}`);
  const open = gapsIn(request).filter(({ missing, explained }) => missing !== explained);
  const gaps = open.map(({ product, missing, explained }) => `${missing - explained} of ${missing} (${product})`).join(", ");
  return say(`The report is written. Sales: ${euro(totalOf(salesIn(request)))} EUR. Missing without a reason: ${gaps || "nothing"}.`);
}

// The report.

function reportOf(request: RecordedRequest): string {
  const months = salesIn(request);
  const stock = stockIn(request);
  const row = (name: string, values: readonly number[]) => [name, ...values.map(euro), euro(sum(values))];
  const gaps = gapsIn(request).map((gap) => {
    const reason = gap.explained === 0 ? "" : `\n  ${gap.explained} explained (${gap.source}), ${gap.missing - gap.explained} not.`;
    return `* **${gap.product}: ${gapText(gap)}.** ${gap.expected} by the books, ${gap.counted} counted.${reason}`;
  });
  const sales = [
    ["product", ...months.map(({ name }) => name), "quarter"],
    ...stock.map(({ product }) =>
      row(
        product,
        months.map(({ products }) => products[product]?.amount ?? 0),
      ),
    ),
    row(
      "all",
      months.map(({ amount }) => amount),
    ),
  ];
  const pieces = [
    ["product", "opening", "delivered", "sold", "expected", "counted", "missing"],
    ...stock.map((each) => [
      each.product,
      ...[each.opening, each.delivered, each.sold, each.expected, each.counted, each.missing].map(String),
    ]),
  ];
  const notDone = ["read_file", "delete_file"].flatMap((tool) =>
    failuresOf(request, tool).map(({ file, error }) => `* ${tool} ${file}: ${error}`),
  );
  const sections = [
    "# The quarter",
    [`* Sales: **${euro(totalOf(months))} EUR** in ${sum(months.map(({ rows }) => rows))} sales.`, ...gaps].join("\n"),
    `## Sales in EUR\n\n${table(sales)}`,
    `## Stock in pieces\n\n${table(pieces)}`,
    ...(notDone.length === 0 ? [] : [`## Not done\n\n${notDone.join("\n")}`]),
  ];
  return `${sections.join("\n\n")}\n`;
}

// What the tool results say.

interface Sums<Column extends string> {
  readonly rows: number;
  readonly total: Readonly<Record<Column, number>>;
  readonly groups: Readonly<Record<string, Readonly<Record<Column, number>>>>;
}

function salesIn(request: RecordedRequest) {
  return sumsIn<"quantity" | "amount">(request, /^sales/).map(({ file, rows, total, groups }) => {
    const [, year, month] = file.match(/(\d{4})-(\d{2})/) ?? [];
    const name = new Date(Date.UTC(Number(year), Number(month) - 1)).toLocaleString("en", { month: "long", timeZone: "UTC" });
    return { name, rows, amount: total.amount, products: groups };
  });
}

function stockIn(request: RecordedRequest) {
  const months = salesIn(request);
  const note = textOf(request, /^inventory/);
  const taken = takenIn(request);
  const products = sumsIn<"opening" | "delivered">(request, /^stock/).flatMap(({ groups }) => Object.entries(groups));
  return products.map(([product, { opening, delivered }]) => {
    const sold = sum(months.map(({ products }) => products[product]?.quantity ?? 0));
    const expected = opening + delivered - sold;
    const counted = Number(note.match(new RegExp(`${product} +(\\d+)`))?.[1]);
    const explained = taken?.product === product.toLowerCase() ? taken.count : 0;
    return { product, opening, delivered, sold, expected, counted, missing: expected - counted, explained, source: taken?.source };
  });
}

function gapsIn(request: RecordedRequest) {
  return stockIn(request).filter(({ missing }) => missing !== 0);
}

function takenIn(request: RecordedRequest) {
  for (const { input, output } of resultsOf(request, "search_text")) {
    for (const hit of output as readonly string[]) {
      const [, file = "", line, count] = hit.match(/^(.+?):(\d+):.*\btook (\d+)/) ?? [];
      if (count !== undefined) return { product: input["words"], file, source: `${file}, line ${line}`, count: Number(count) };
    }
  }
  return undefined;
}

function filesIn(request: RecordedRequest): string[] {
  return resultsOf(request, "list_files").flatMap(({ output }) => output as readonly string[]);
}

function sumsIn<Column extends string>(request: RecordedRequest, name: RegExp) {
  const results = resultsOf(request, "sum_columns").map(({ input, output }) => ({
    file: String(input["file"]),
    ...(output as unknown as Sums<Column>),
  }));
  return results.filter(({ file }) => name.test(file));
}

function textOf(request: RecordedRequest, name: RegExp): string {
  return String(resultsOf(request, "read_file").find(({ input }) => name.test(String(input["file"])))?.output ?? "");
}

function resultsOf(request: RecordedRequest, toolName: string) {
  return toolResults(request).filter((call) => call.toolName === toolName && !call.isError);
}

function failuresOf(request: RecordedRequest, toolName: string) {
  const failures = toolResults(request).filter((call) => call.toolName === toolName && call.isError);
  return failures.map(({ input, error }) => ({ file: input["file"], error }));
}

// Words and figures.

/** A Markdown table that can be read as it stands: names to the left, figures to the right. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const rule = widths.map((width, at) => (at === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  const aligned = rows.map((row) => row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))));
  return aligned
    .toSpliced(1, 0, rule)
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

function gapText({ missing }: { missing: number }): string {
  return missing > 0 ? `${missing} missing` : `${-missing} too many`;
}

function totalOf(months: readonly { amount: number }[]): number {
  return sum(months.map(({ amount }) => amount));
}

function euro(amount: number): string {
  return amount.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
