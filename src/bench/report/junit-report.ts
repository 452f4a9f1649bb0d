import type { Analysis, AnalysisSection, Attempt } from "./analysis.js";

/** The cells as JUnit XML: a suite for each section and strategy, a test case for each cell. */
export function junitReport({ claims, sections }: Analysis): string {
  const suites = sections.flatMap((section) => section.strategies.map(({ arm }, index) => suiteXml(section, { arm, index })));
  const properties = `<properties>${property("may claim", claims.may)}${property("may not claim", claims.mayNot)}</properties>`;
  const body = suites.map((suite, index) => (index === 0 ? suite.replace("\n", `\n    ${properties}\n`) : suite)).join("\n");
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="triact bench">\n${body}\n</testsuites>\n`;
}

function suiteXml(section: AnalysisSection, { arm, index }: { arm: string; index: number }): string {
  const cells = section.grid.flatMap(({ task, attempts }) => (attempts[index] ?? []).map((attempt) => ({ task, attempt })));
  const count = (holds: (attempt: Attempt) => boolean) => cells.filter(({ attempt }) => holds(attempt)).length;
  const numbers = {
    tests: cells.length,
    failures: count(({ outcome }) => outcome !== "solved" && outcome !== "provider-error"),
    errors: count(({ outcome }) => outcome === "provider-error"),
    time: seconds(cells.reduce((sum, { attempt }) => sum + attempt.wallMs, 0)),
  };
  const name = `${section.title} · ${arm}`;
  const cases = cells.map(
    ({ task, attempt }) =>
      `    ${caseXml(attempt, { classname: name, name: section.trials > 1 ? `${task} (trial ${attempt.trial + 1})` : task })}`,
  );
  return [`  <testsuite ${attributes({ name, ...numbers })}>`, ...cases, "  </testsuite>"].join("\n");
}

function caseXml({ outcome, reason, answer, wallMs }: Attempt, names: { classname: string; name: string }): string {
  const open = `testcase ${attributes({ ...names, time: seconds(wallMs) })}`;
  if (outcome === "solved") return `<${open}/>`;
  const element = outcome === "provider-error" ? "error" : "failure";
  return `<${open}><${element} ${attributes({ type: outcome, message: reason ?? outcome })}>${escapeXml(answer)}</${element}></testcase>`;
}

function property(name: string, value: string): string {
  return `<property ${attributes({ name, value })}/>`;
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}="${escapeXml(String(value))}"`)
    .join(" ");
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** Characters that XML 1.0 cannot hold in any form, and halves of surrogate pairs. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;
const names: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

function escapeXml(text: string): string {
  return text
    .replace(FORBIDDEN, "\ufffd")
    .replace(/[&<>"']/g, (sign) => names[sign] ?? sign)
    .replace(/[\t\n\r]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
