import { CodeActRuntime, createTool, DeepResearchRuntime } from "triact";
import { analyse, type CellRecord, defineSuite, markdownReport, reportBlocks } from "triact/bench";
import { IsolatedVmExecutor } from "triact/sandbox";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { RECOVERY_TEXT } from "../../src/bench/report/report-blocks.ts";
import { bench, type Ran, react } from "./benchmark-kit.js";

const executor = new IsolatedVmExecutor({ isolation: "in-process" });
afterAll(() => executor.dispose());
const codeact = { name: "codeact", runtime: new CodeActRuntime({ executor }) };

/** Two entries in a book, and a look at it. */
const book = defineSuite({
  name: "book",
  tasks: [
    {
      id: "two-entries",
      question: "Enter 1 and 2, and say how many entries there are.",
      program: "await enter({ amount: 1 });\nawait enter({ amount: 2 });\nconst { entries } = await look({});\nreturn String(entries);",
      start: () => {
        const entries: number[] = [];
        const enter = createTool({
          name: "enter",
          description: "Makes an entry.",
          inputSchema: z.object({ amount: z.number() }),
          execute: ({ amount }) => {
            entries.push(amount);
            return { done: true };
          },
        });
        const look = createTool({
          name: "look",
          description: "Counts the entries.",
          inputSchema: z.object({}),
          execute: () => ({ entries: new Set(entries).size }),
        });
        return { tools: [enter, look], writes: ["enter"], check: (answer) => ({ solved: answer.trim() === "2" }) };
      },
    },
  ],
});

describe("in a record", () => {
  test.for([
    ["react", "invalid-json", 1, 0],
    ["react", "missing-argument", 1, 0],
    ["react", "fence", 0, 0],
    ["codeact", "fence", 1, 0],
    ["codeact", "late-exception", 1, 2],
    ["react", "rate-limit", 1, 0],
    ["react", "tool-throws-once", 1, 0],
    ["react", "tool-slow", 1, 0],
    ["react", "tool-huge-result", 1, 0],
  ] as const)("%s, %s: how often it happened, and which changes were made twice", async ([name, fault, faultsMade, repeatedWrites]) => {
    const { records } = await bench({ suites: [book], arms: [name === "react" ? react : codeact], faults: [fault] });
    const found = (isHit: boolean) => records.find((record) => (record.fault !== undefined) === isHit);
    expect(found(true)).toMatchObject({ fault, faultsMade, repeatedWrites });
    expect(found(false)).toMatchObject({ repeatedWrites: 0 });
    expect(found(false)).not.toHaveProperty("faultsMade");
  });

  test("a strategy that plans first is hit in its first action, and its plan only by what is wrong with plans", async () => {
    const arms = [{ name: "deep-research", runtime: new DeepResearchRuntime() }];
    const { records } = await bench({ suites: [book], arms, faults: ["invalid-json", "empty", "plan-prose", "plan-unknown-tool"] });
    const hits = records
      .filter(({ fault }) => fault !== undefined)
      .map(({ fault, faultsMade, outcome }) => `${fault} ${faultsMade} ${outcome}`);
    expect(hits.toSorted()).toEqual(["empty 1 solved", "invalid-json 1 solved", "plan-prose 1 solved", "plan-unknown-tool 1 solved"]);
  });

  test("the same call for ever is a fault each time", async () => {
    const { records } = await bench({ suites: [book], faults: ["same-call"], maxIterations: 5 });
    expect(records.find(({ fault }) => fault !== undefined)).toMatchObject({ faultsMade: 4, repeatedWrites: 4, outcome: "step-limit" });
  });

  test("what a suite does not tell is not there", async () => {
    const { records } = await bench({ maxTasks: 1 });
    expect(records[0]).not.toHaveProperty("repeatedWrites");
  });
});

describe("in the analysis", () => {
  test("a run with faults and without is compared cell by cell", async () => {
    const { recovery } = analysisOf(await bench({ suites: [book], arms: [react, codeact], faults: ["late-exception", "plan-prose"] }));
    expect(recovery).toEqual([
      {
        title: "book · reference-policy",
        sections: ["book/1/reference-policy/late-exception", "book/1/reference-policy/plan-prose"],
        rows: [
          {
            fault: "late-exception",
            arm: "codeact",
            cells: 1,
            faults: 1,
            solvedWith: 1,
            solvedWithout: 1,
            kept: 1,
            extraModelCalls: 1,
            extraTokens: expect.any(Number),
            repeatedWrites: 2,
            unseen: 0,
          },
        ],
        idle: ["plan-prose"],
      },
    ]);
    expect(recovery[0]?.rows[0]?.extraTokens).toBeGreaterThan(50);
  });

  test("only cells in which it happened count, what was lost is no saving, and a wrong answer is unseen", async () => {
    const ran = await bench({ faults: ["invalid-json"] });
    const changes: Readonly<Record<string, Partial<CellRecord>>> = {
      "sum-of-1": { faultsMade: 0, outcome: "wrong" },
      "sum-of-2": { outcome: "wrong", modelCalls: 0 },
      "sum-of-3": { outcome: "gave-up", modelCalls: 0 },
      "sum-of-4": { faultsMade: 2, modelCalls: 10, inputTokens: 1_000, outputTokens: 0 },
    };
    const records = ran.records.map((record) => (record.fault === undefined ? record : { ...record, ...changes[record.task] }));
    const calm = records.find(({ task, fault }) => task === "sum-of-4" && fault === undefined) as CellRecord;
    expect(analysisOf({ ...ran, records }).recovery[0]?.rows).toEqual([
      {
        fault: "invalid-json",
        arm: "react",
        cells: 3,
        faults: 4,
        solvedWith: 1,
        solvedWithout: 3,
        kept: 1 / 3,
        extraModelCalls: (10 - calm.modelCalls) / 2,
        extraTokens: (1_000 - calm.inputTokens - calm.outputTokens) / 2,
        unseen: 1,
      },
    ]);
  });

  test("what was wrong without the fault is not unseen because of it", async () => {
    const ran = await bench({ faults: ["invalid-json"], maxTasks: 1 });
    const records = ran.records.map((record) => ({ ...record, outcome: "wrong" as const }));
    expect(analysisOf({ ...ran, records }).recovery[0]?.rows[0]).toMatchObject({ solvedWith: 0, solvedWithout: 0, unseen: 0 });
  });

  test("without a run without faults there is nothing to compare with, and each fault keeps its section in the text", async () => {
    const ran = await bench({ faults: ["invalid-json"], maxTasks: 1 });
    const analysis = analysisOf({ ...ran, records: ran.records.filter(({ fault }) => fault !== undefined) });
    expect(analysis.recovery).toEqual([]);
    expect(markdownReport(reportBlocks(analysis))).toContain("## shop · reference-policy · fault invalid-json");
  });
});

test("in texts a table of recovery stands for the sections of the faults", async () => {
  const analysis = analysisOf(
    await bench({ suites: [book], arms: [react, codeact], faults: ["invalid-json", "late-exception", "plan-prose"] }),
  );
  const text = markdownReport(reportBlocks(analysis));
  expect(text).not.toContain("· fault ");
  expect(text.slice(text.indexOf("## Recovery")).split("\n").slice(0, 10)).toEqual([
    "## Recovery from faults · book · reference-policy",
    "",
    RECOVERY_TEXT,
    "",
    "- Not possible in any cell: plan-prose.",
    "",
    "| fault | strategy | faults | solved | calls | tokens | twice | unseen |",
    "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    expect.stringMatching(/^\| invalid-json \| react \| 1 \| 1\/1 \| \+1\.0 \| \+\d+ \| 0 \| 0 \|$/),
    expect.stringMatching(/^\| late-exception \| codeact \| 1 \| 1\/1 \| \+1\.0 \| \+\d+ \| 2 \| 0 \|$/),
  ]);
});

function analysisOf({ manifest, records }: Ran): ReturnType<typeof analyse> {
  return analyse({ manifests: [manifest], records: records.map((record) => ({ record, folder: "." })), notes: [] });
}
