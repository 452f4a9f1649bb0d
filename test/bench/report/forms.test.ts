import { expect, test } from "vitest";
import { analyse } from "../../../src/bench/report/analyse.ts";
import { junitReport } from "../../../src/bench/report/junit-report.ts";
import { markdownReport } from "../../../src/bench/report/markdown-report.ts";
import { reportBlocks } from "../../../src/bench/report/report-blocks.ts";
import { textReport } from "../../../src/bench/report/text-report.ts";
import { generateRun, recordedRun } from "./generated-run.ts";
import { xmlProblem } from "./xml.ts";

const analysis = analyse(recordedRun(generateRun(), generateRun({ suites: ["workday"], trials: 3, isReference: false, model: "gpt" })));
const hostile = '<b>|\u001b[31m"x"]]>&\n# *_`[a](b)\u202e\u0000\ud800';
const hostileRun = generateRun({ tasks: 2, arms: [{ name: hostile, skill: 0, calls: () => 1 }] });
const hostileRecords = hostileRun.records.map((record) => ({
  ...record,
  task: `${hostile}${record.task}`,
  reason: hostile,
  answer: hostile,
}));
const hostileAnalysis = analyse(recordedRun({ ...hostileRun, records: hostileRecords }));

test("the terminal report fits 80 columns, in every section", () => {
  const lines = textReport(reportBlocks(analysis)).split("\n");
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(lines.filter((line) => line.includes("codeact")).length).toBeGreaterThan(10);
});

test("what the run may and may not claim stands before every number", () => {
  const lines = textReport(reportBlocks(analysis), { width: 10_000 }).split("\n\n");
  expect(lines.slice(0, 3)).toEqual(["Benchmark of strategies", analysis.claims.may, analysis.claims.mayNot]);
});

test("a table of the terminal report has its columns in line", () => {
  const text = textReport(
    [
      {
        kind: "table",
        columns: [
          { title: "strategy", align: "left" },
          { title: "solved", align: "right" },
          { title: "outcomes", align: "left" },
        ],
        rows: [
          ["react", "3/4", "1 wrong"],
          ["a-strategy-with-a-long-name", "10/10", ""],
        ],
      },
    ],
    { width: 40 },
  );
  expect(text).toBe(
    `${["strategy                solved  outcomes", "react                      3/4  1 wrong", "a-strategy-with-a-lon…   10/10"].join("\n")}\n`,
  );
});

test("the terminal report shows no control character of a name or an answer", () => {
  expect(textReport(reportBlocks(hostileAnalysis))).not.toMatch(/(?!\n)\p{Cc}|\u202e/u);
});

test("Markdown tables keep their shape whatever the names hold", () => {
  const tables = markdownReport(reportBlocks(hostileAnalysis))
    .split("\n\n")
    .filter((part) => part.startsWith("|"));
  expect(tables.length).toBeGreaterThan(5);
  for (const table of tables) {
    const rows = table.split("\n").map((line) => line.match(/(?<!\\)\|/g)?.length);
    expect(new Set(rows).size).toBe(1);
    expect(table).not.toMatch(/(?<!\\)[<`*[]/);
  }
});

test("JUnit has a test case for each cell, and a failure for each that is not solved", () => {
  const xml = junitReport(analysis);
  const cells = analysis.sections.flatMap(({ grid }) => grid.flatMap(({ attempts }) => attempts.flat()));
  expect(xmlProblem(xml)).toBeUndefined();
  expect(xml.match(/<testcase /g)).toHaveLength(cells.length);
  expect(xml.match(/<failure /g)).toHaveLength(cells.filter(({ outcome }) => outcome !== "solved").length);
  expect(xml).toContain('<failure type="wrong" message="the answer should be &quot;12&quot;, and was &quot;13&quot;">13</failure>');
});

test("JUnit is well-formed XML whatever a model said", () => {
  const xml = junitReport(hostileAnalysis);
  expect(xmlProblem(xml)).toBeUndefined();
  expect(xml).toContain("&lt;b&gt;|\ufffd[31m&quot;x&quot;]]&gt;&amp;&#10;# *_`[a](b)\u202e\ufffd\ufffd");
});
