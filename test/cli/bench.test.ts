import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { filesOf, generateRun } from "../bench/report/generated-run.ts";
import { World } from "./kit.ts";

const run = generateRun({ tasks: 20 });
const worse = {
  ...run,
  records: run.records.map((record) => (record.arm === "react" ? { ...record, outcome: "wrong" as const } : record)),
};
const world = () => new World({ files: { ...filesOf(run, "before"), ...filesOf(worse, "after") } });

test("the report of a run goes to standard output, without colours where no terminal is", async () => {
  const { exitCode, stdout, stderr } = await world().triact(["bench", "report", "before"]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toMatch(/^Benchmark of strategies\n\nThese numbers come from the reference policy, granularity level/);
  expect(stdout).not.toContain("\u001b");
});

test("headings stand out where colours are wanted", async () => {
  const { stdout } = await world().triact(["bench", "report", "before"], { environment: { FORCE_COLOR: "1" } });
  expect(stdout.startsWith("\u001b[1mBenchmark of strategies\u001b[22m\n")).toBe(true);
});

test.for([
  ["report.md", "# Benchmark of strategies\n"],
  ["report.json", '{\n  "version": 1,'],
  ["report.xml", '<?xml version="1.0"'],
  ["report.txt", "Benchmark of strategies\n"],
] as const)("the ending of %s says in which form it is written", async ([name, beginning]) => {
  const place = world();
  expect(await place.triact(["bench", "report", "before/records.jsonl", "--output", name])).toEqual({
    exitCode: 0,
    stdout: "",
    stderr: "",
  });
  expect(readFileSync(join(place.folder, name), "utf8").startsWith(beginning)).toBe(true);
});

test("a regression beyond the noise ends with 1 and says which and how sure", async () => {
  const { exitCode, stdout } = await world().triact(["bench", "compare", "before", "after"]);
  expect(exitCode).toBe(1);
  expect(stdout.replaceAll(/\s+/g, " ")).toMatch(
    /Regressions beyond the noise: 1\. - react, crossover · reference: solved, in percentage points −[\d.]+, 95% −[\d.]+ to −[\d.]+, p <0\.001\./,
  );
});

test("two equal runs end with 0", async () => {
  const { exitCode, stdout } = await world().triact(["bench", "compare", "before", "before"]);
  expect({ exitCode, verdict: stdout.split("\n\n")[1] }).toEqual({ exitCode: 0, verdict: "No regression beyond the noise." });
});

test("the comparison is JSON for scripts", async () => {
  const { stdout } = await world().triact(["bench", "compare", "before", "after", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ regressions: [{ arm: "react", measure: "solved" }], improvements: [] });
});

test.for([
  [["bench"], "Say what to do, for example triact bench run. See triact bench --help."],
  [["bench", "race"], 'There is no command "bench race". Commands: run, list, report, compare. See triact bench --help.'],
  [["bench", "report"], "The records of a run are expected: a file, or the folder that it is in."],
  [["bench", "report", "gone"], "There is nothing at "],
  [["bench", "report", "before", "--format", "pdf"], '--format: expected one of terminal, markdown, json, junit, html, received "pdf".'],
  [["bench", "report", "before", "-o", "gone/report.md"], "cannot be written. Is its folder there?"],
  [["bench", "compare", "before"], "Two runs are expected, the earlier one first; received 1."],
] as const)("%j is refused", async ([args, problem]) => {
  const { exitCode, stderr } = await world().triact(args);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(problem);
});

test("help lists the subcommands, and each of them has its own", async () => {
  expect((await world().triact(["bench", "--help"])).stdout).toContain("\n  report                  show what a run found");
  expect((await world().triact(["bench", "report", "--help"])).stdout).toContain("Usage: triact bench report PATH... [flags]");
  expect((await world().triact(["help", "bench", "compare"])).stdout).toContain("Usage: triact bench compare BEFORE AFTER [flags]");
});
