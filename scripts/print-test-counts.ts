/**
 * Prints `N passed, N failed, N skipped` from the file that vitest's JSON reporter wrote.
 * Usage: `node scripts/print-test-counts.ts FILE EXIT_CODE`, where EXIT_CODE is what vitest ended with. A test file that
 * could not be loaded counts as one failure, and so does a run that failed for a reason outside of all tests.
 */
import { existsSync, readFileSync } from "node:fs";

interface VitestReport {
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly { readonly status: string }[] }[];
}

/** The closing line of a test run. */
export function closingLine(report: VitestReport, exitCode: number): string {
  const statuses = report.testResults.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status));
  const passed = statuses.filter((status) => status === "passed").length;
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) => status === "failed" && !assertionResults.some((result) => result.status === "failed"),
  ).length;
  const inTests = statuses.filter((status) => status === "failed").length;
  const failed = inTests + brokenFiles;
  return `${passed} passed, ${failed === 0 && exitCode !== 0 ? 1 : failed} failed, ${statuses.length - passed - inTests} skipped`;
}

if (import.meta.main) {
  const [file = "", exitCode = "1"] = process.argv.slice(2);
  const report = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as VitestReport) : { testResults: [] };
  console.log(closingLine(report, Number(exitCode)));
}
