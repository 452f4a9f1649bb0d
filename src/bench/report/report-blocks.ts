import type { Analysis, AnalysisSection, EfficiencyMeasure, PairComparison, RecoveryTable } from "./analysis.js";
import { count, dollars, duration, NONE, percent, points, probability, ratio, shortCount, shortNames, signed } from "./format-numbers.js";
import { ledgerParts } from "./ledger-parts.js";

/** A piece of a report that is text and tables, whatever it is written as. */
export type Block =
  | { readonly kind: "heading"; readonly level: 1 | 2 | 3; readonly text: string }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "list"; readonly items: readonly string[] }
  | { readonly kind: "table"; readonly columns: readonly Column[]; readonly rows: readonly (readonly string[])[] };

/** Numbers stand at the right. */
export interface Column {
  readonly title: string;
  readonly align: "left" | "right";
}

/** The whole report: what it may claim first, then one part for each section, then what was run. */
export function reportBlocks(analysis: Analysis): readonly Block[] {
  return [
    { kind: "heading", level: 1, text: "Benchmark of strategies" },
    { kind: "text", text: analysis.claims.may },
    { kind: "text", text: analysis.claims.mayNot },
    ...(analysis.notes.length === 0 ? [] : [{ kind: "list", items: analysis.notes } as const]),
    ...analysis.sections.filter((section) => !isInRecovery(section, analysis)).flatMap(sectionBlocks),
    ...analysis.recovery.flatMap(recoveryBlocks),
    ...manifestBlocks(analysis),
  ];
}

const NAME_CHARS = 20;
const left = (title: string): Column => ({ title, align: "left" });
const right = (title: string): Column => ({ title, align: "right" });

function sectionBlocks(section: AnalysisSection): readonly Block[] {
  const short = shortNames(
    section.strategies.map(({ arm }) => arm),
    NAME_CHARS,
  );
  const nameOf = (arm: string) => short[section.strategies.findIndex((strategy) => strategy.arm === arm)] ?? arm;
  const names = section.strategies.flatMap(({ arm }, index) => (short[index] === arm ? [] : [`${short[index]} is ${arm}`]));
  const heading = (text: string): Block => ({ kind: "heading", level: 3, text });
  const policy = section.isReference ? "Reference policy. " : "";
  const sizes = `${policy}${section.tasks} tasks, up to ${section.trials} ${section.trials === 1 ? "trial" : "trials"} each, ${count(section.cells)} cells.`;
  return [
    { kind: "heading", level: 2, text: section.title },
    { kind: "text", text: sizes },
    ...(names.length + section.notes.length === 0 ? [] : [{ kind: "list", items: [...names, ...section.notes] } as const]),
    heading("Solved"),
    solvedTable(section, nameOf),
    heading("What it took"),
    effortTable(section, nameOf),
    speedTable(section, nameOf),
    ...(section.pairs.length === 0
      ? []
      : [heading("Paired differences"), pairTable(section, nameOf), ...efficiencyBlocks(section, nameOf)]),
    heading("Tokens by cause, share of all"),
    ledgerTable(section, nameOf),
    heading("Outcomes"),
    outcomeTable(section, nameOf),
    ...disagreementBlocks(section),
    ...curveBlocks(section, nameOf),
  ];
}

/** Sections of faults are many and say little that the tables of recovery do not. The page and the JSON have them. */
function isInRecovery({ id }: AnalysisSection, { recovery }: Analysis): boolean {
  return recovery.some(({ sections }) => sections.includes(id));
}

function recoveryBlocks({ title, rows, idle }: RecoveryTable): readonly Block[] {
  const arms = [...new Set(rows.map(({ arm }) => arm))];
  const short = shortNames(arms, NAME_CHARS);
  const lines = rows.map(({ fault, arm, faults, solvedWith, solvedWithout, extraModelCalls, extraTokens, repeatedWrites, unseen }) => [
    fault,
    short[arms.indexOf(arm)] ?? arm,
    String(faults),
    `${solvedWith}/${solvedWithout}`,
    signed(extraModelCalls, 1),
    signed(extraTokens, 0),
    repeatedWrites === undefined ? NONE : String(repeatedWrites),
    String(unseen),
  ]);
  const numbers = ["faults", "solved", "calls", "tokens", "twice", "unseen"].map(right);
  return [
    { kind: "heading", level: 2, text: `Recovery from faults · ${title}` },
    { kind: "text", text: RECOVERY_TEXT },
    ...(idle.length === 0 ? [] : [{ kind: "list", items: [`Not possible in any cell: ${idle.join(", ")}.`] } as const]),
    ...(lines.length === 0 ? [] : [{ kind: "table", columns: [left("fault"), left("strategy"), ...numbers], rows: lines } as const]),
  ];
}

/** What the columns of a table of recovery are. */
export const RECOVERY_TEXT =
  "Only cells in which the fault happened. Solved: with the fault, of those without it. Calls and tokens: more for each fault, in the cells that were solved both ways. Twice: changes made once more. Unseen: cells that ended as if all were well, with a wrong answer.";

type NameOf = (arm: string) => string;

function solvedTable({ strategies, trials }: AnalysisSection, nameOf: NameOf): Block {
  const rows = strategies.map(({ arm, solvedCells, cells, solved, passHat, tokensPerSolved, costPerSolved, sideEffects }) => [
    nameOf(arm),
    `${solvedCells}/${cells}`,
    percent(solved?.value),
    solved === undefined ? NONE : `${percent(solved.low)}–${percent(solved.high)}`,
    ...(trials > 1 ? [percent(passHat.at(-1))] : []),
    count(tokensPerSolved),
    dollars(costPerSolved),
    String(sideEffects),
  ]);
  const pass = trials > 1 ? [right(`pass^${strategies[0]?.passHat.length ?? trials}`)] : [];
  const columns = [
    left("strategy"),
    right("solved"),
    right("share"),
    right("95%"),
    ...pass,
    right("tok/solved"),
    right("$/solved"),
    right("unwanted"),
  ];
  return { kind: "table", columns, rows };
}

function effortTable({ strategies }: AnalysisSection, nameOf: NameOf): Block {
  const rows = strategies.map(({ arm, modelCalls, toolCalls, inputTokens, cachedTokens, outputTokens, cost }) => [
    nameOf(arm),
    ...[modelCalls, toolCalls, inputTokens, cachedTokens, outputTokens].map(shortCount),
    dollars(cost),
  ]);
  return {
    kind: "table",
    columns: [left("strategy"), right("model"), right("tools"), right("input"), right("cached"), right("output"), right("cost")],
    rows,
  };
}

function speedTable({ strategies }: AnalysisSection, nameOf: NameOf): Block {
  const rows = strategies.map(({ arm, overheadMsPerTurn, wallMsMedian, wallMs95, retries, tokenRatio }) => [
    nameOf(arm),
    duration(overheadMsPerTurn),
    duration(wallMsMedian),
    duration(wallMs95),
    String(retries),
    tokenRatio === undefined ? NONE : tokenRatio.toFixed(3),
  ]);
  return {
    kind: "table",
    columns: [left("strategy"), right("own/turn"), right("wall p50"), right("wall p95"), right("retries"), right("provider/ours")],
    rows,
  };
}

function pairTable({ pairs }: AnalysisSection, nameOf: NameOf): Block {
  const rows = pairs.map((pair) => [
    `${nameOf(pair.first)} − ${nameOf(pair.second)}`,
    points(pair.difference.value),
    intervalOf(pair),
    probability(pair.adjustedP),
    pair.detectable === undefined ? NONE : (pair.detectable * 100).toFixed(1),
  ]);
  return { kind: "table", columns: [left("points"), right("diff"), right("95%"), right("p (Holm)"), right("could show")], rows };
}

/** The interval of a difference in points, or what stands for it. */
export function intervalOf({ difference: { low, high } }: PairComparison): string {
  return low === undefined ? NONE : `${points(low)} to ${points(high)}`;
}

/** What the measures are called in tables. */
export const measureNames: Readonly<Record<EfficiencyMeasure, string>> = {
  modelCalls: "model calls",
  tokens: "tokens",
  outputTokens: "output tokens",
  cost: "cost",
  wallMs: "wall",
};

function efficiencyBlocks({ pairs }: AnalysisSection, nameOf: NameOf): readonly Block[] {
  const rows = pairs.map((pair) => {
    const cell = (measure: EfficiencyMeasure) => {
      const found = pair.efficiency.find((each) => each.measure === measure);
      return found === undefined ? NONE : ratio(found.value);
    };
    return [
      `${nameOf(pair.first)} / ${nameOf(pair.second)}`,
      String(pair.bothSolved),
      cell("modelCalls"),
      cell("tokens"),
      ratio(pair.totals.tokens),
    ];
  });
  const columns = [left("ratio"), right("both"), right("calls"), right("tokens"), right("in total")];
  return [
    { kind: "text", text: "On the tasks that both solved (geometric mean), and tokens in total:" },
    { kind: "table", columns, rows },
  ];
}

function ledgerTable({ strategies }: AnalysisSection, nameOf: NameOf): Block {
  const titles: Readonly<Record<string, string>> = {
    instructions: "instr",
    question: "quest",
    actions: "action",
    results: "result",
    repairs: "repair",
  };
  const rows = strategies.map(({ arm, ledger, ledgerSum }) => [
    nameOf(arm),
    ...ledgerParts.map((part) => (ledgerSum === 0 ? NONE : `${((100 * ledger[part]) / ledgerSum).toFixed(0)}%`)),
    shortCount(ledgerSum),
  ]);
  return { kind: "table", columns: [left("strategy"), ...ledgerParts.map((part) => right(titles[part] ?? part)), right("sum")], rows };
}

function outcomeTable({ strategies }: AnalysisSection, nameOf: NameOf): Block {
  const rows = strategies.map(({ arm, outcomes }) => [
    nameOf(arm),
    Object.entries(outcomes)
      .sort(([, a], [, b]) => b - a)
      .map(([outcome, number]) => `${number} ${outcome}`)
      .join(", "),
  ]);
  return { kind: "table", columns: [left("strategy"), left("cells")], rows };
}

const MAX_LISTED = 40;

function disagreementBlocks({ disagreements }: AnalysisSection): readonly Block[] {
  if (disagreements.length === 0) return [];
  const listed = disagreements.slice(0, MAX_LISTED).join(", ");
  const more = disagreements.length > MAX_LISTED ? `, and ${disagreements.length - MAX_LISTED} more` : "";
  return [
    { kind: "heading", level: 3, text: `Tasks on which the strategies differ (${disagreements.length})` },
    { kind: "text", text: `${listed}${more}.` },
  ];
}

function curveBlocks({ curves }: AnalysisSection, nameOf: NameOf): readonly Block[] {
  return curves.flatMap(({ knob, values, lines, crossings }): Block[] => [
    { kind: "heading", level: 3, text: `Tokens against ${knob}` },
    {
      kind: "table",
      columns: [left("strategy"), ...values.map((value) => right(String(value)))],
      rows: lines.map(({ arm, points: own }) => [nameOf(arm), ...own.map((point) => shortCount(point?.tokens))]),
    },
    ...(crossings.length === 0
      ? []
      : [
          {
            kind: "list" as const,
            items: crossings.map(
              ({ cheaper, dearer, from }) => `From ${knob} ${from} on, ${nameOf(cheaper)} takes fewer tokens than ${nameOf(dearer)}.`,
            ),
          },
        ]),
  ]);
}

function manifestBlocks({ manifests }: Analysis): readonly Block[] {
  return manifests.flatMap((manifest): Block[] => {
    const items = [
      `triact ${manifest.triact}${manifest.commit === undefined ? "" : ` (${manifest.commit})`}, node ${manifest.node}, ${manifest.machine}`,
      `seed ${manifest.seed}, trials ${manifest.trials}, started ${new Date(manifest.startedAt).toISOString()}`,
      `models ${manifest.models.join(", ")}; tokenizer ${manifest.tokenizer}`,
      `suites ${manifest.suites.map(({ name, version, tasks }) => `${name} ${version} (${tasks} tasks)`).join(", ")}`,
      ...manifest.arms.map(({ name, promptHash }) => `strategy ${name}, prompts ${promptHash}`),
      ...(manifest.granularity === undefined ? [] : [`granularity of the reference policy: ${manifest.granularity}`]),
      ...(manifest.faults === undefined ? [] : [`faults: ${manifest.faults}`]),
      ...(manifest.prices === undefined ? [] : [`prices of ${manifest.prices.date}`]),
    ];
    return [
      { kind: "heading", level: 2, text: "What was run" },
      { kind: "list", items },
    ];
  });
}
