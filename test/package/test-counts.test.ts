import { expect, test } from "vitest";
import { closingLine } from "../../scripts/print-test-counts.ts";

const file = (status: string, ...statuses: string[]) => ({ status, assertionResults: statuses.map((each) => ({ status: each })) });

test("tests are counted by how they ended", () => {
  const testResults = [file("passed", "passed", "skipped", "passed"), file("failed", "failed", "passed", "todo")];
  expect(closingLine({ testResults }, 1)).toBe("3 passed, 1 failed, 2 skipped");
});

test("a file that could not be loaded is a failure", () => {
  expect(closingLine({ testResults: [file("passed", "passed"), file("failed")] }, 1)).toBe("1 passed, 1 failed, 0 skipped");
});

test("a failing run never reads as a passing one", () => {
  expect(closingLine({ testResults: [file("passed", "passed")] }, 1)).toBe("1 passed, 1 failed, 0 skipped");
  expect(closingLine({ testResults: [] }, 1)).toBe("0 passed, 1 failed, 0 skipped");
});
