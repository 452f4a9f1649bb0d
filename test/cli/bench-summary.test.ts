import type { CellRecord } from "triact/bench";
import { expect, test } from "vitest";
import { summarise, summaryTable } from "../../src/cli/bench/bench-summary.ts";

const record = (task: string, fields: Partial<CellRecord>) =>
  ({
    cell: task,
    arm: "react",
    model: "m",
    modelCalls: 1,
    toolCalls: 0,
    inputTokens: 10,
    outputTokens: 1,
    wallMs: 5,
    ...fields,
  }) as CellRecord;

async function* each(...records: CellRecord[]) {
  yield* records;
}

test("a cell whose provider failed is counted apart, and no more once it was run again", async () => {
  const failed = record("b", { outcome: "provider-error" });
  const solved = record("a", { outcome: "solved" });
  const rows = await summarise(each(failed, solved, failed));
  expect(rows).toMatchObject([{ cells: 1, solved: 1, providerErrors: 1 }]);
  expect(summaryTable(rows)).toMatch(/provider failed\n.* 1\/1 .* 1\n/);
  const [row] = await summarise(each(failed, solved, record("b", { outcome: "wrong" })));
  expect([row?.cells, row?.providerErrors]).toEqual([2, undefined]);
});

test("where every provider failed no share is shown", async () => {
  const rows = await summarise(each(record("a", { outcome: "provider-error" })));
  expect(summaryTable(rows)).toMatch(/ 0\/0 +– /);
});
