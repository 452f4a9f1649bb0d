import { cutText } from "../json.js";

/** One thing that a check did not like. */
export interface Problem {
  /** From the root of the input. */
  readonly path: readonly PropertyKey[];
  readonly text: string;
  /** How the value that came is told: after the text (the default), after a text that names its type already, or not at all. */
  readonly received?: "named" | "left-out";
  /** The value has the wrong type, or is not one of the values that are allowed; so it was probably meant for another branch of a union. */
  readonly mismatch?: { readonly kind: "type" | "value"; readonly expected: string };
  /** Problems of every branch of a union, none of which fits. */
  readonly branches?: ReadonlyArray<readonly Problem[]>;
}

const MAX_PROBLEMS = 10;
const MAX_VALUE_CHARS = 80;

/**
 * Problems as short lines for the model: path, what was expected, what came.
 * @param input - The value as it came, to quote from. Values are cut to 80 characters.
 * @returns Ten lines at most, and one more that counts the rest.
 */
export function problemLines(problems: readonly Problem[], input: unknown): string[] {
  const lines = [...new Set(problems.flatMap(expand).map((problem) => lineOf(problem, input)))];
  if (lines.length <= MAX_PROBLEMS) return lines;
  return [...lines.slice(0, MAX_PROBLEMS), `… and ${lines.length - MAX_PROBLEMS} more`];
}

/** A union that nothing fits is told by the branch that was meant, if that can be seen. */
function expand(problem: Problem): readonly Problem[] {
  const branches = problem.branches?.filter((branch) => branch.length > 0).map((branch) => branch.flatMap(expand));
  if (branches === undefined || branches.length === 0) return [problem];
  const depth = problem.path.length;
  const right = branches.filter((branch) => !branch.some((inner) => inner.mismatch !== undefined && inner.path.length === depth));
  if (right.length === 0) return [mergeMismatches(problem, branches.flat())];
  const tagged = right.filter((branch) => !branch.some((inner) => inner.mismatch?.kind === "value" && inner.path.length === depth + 1));
  const meant = tagged.length > 0 ? tagged : right;
  return meant.length === 1 && meant[0] !== undefined ? meant[0] : [listBranches(problem, meant)];
}

function mergeMismatches(union: Problem, inner: readonly Problem[]): Problem {
  const expected = [...new Set(inner.filter(({ path }) => path.length === union.path.length).map(({ mismatch }) => mismatch?.expected))];
  const words = expected.filter((word) => word !== undefined).join(" or ");
  const kind = inner.some((problem) => problem.mismatch?.kind === "type") ? "type" : "value";
  return { path: union.path, text: `expected ${words}`, mismatch: { kind, expected: words } };
}

function listBranches(union: Problem, branches: ReadonlyArray<readonly Problem[]>): Problem {
  const forms = branches.map((branch, index) => {
    const texts = branch.map((inner) => {
      const path = formatPath(inner.path.slice(union.path.length));
      return path === "" ? inner.text : `${path}: ${inner.text}`;
    });
    return `(${index + 1}) ${texts.join(", ")}`;
  });
  return { path: union.path, text: `fits none of ${branches.length} forms: ${forms.join("; ")}`, received: "left-out" };
}

function lineOf({ path, text, received, mismatch }: Problem, input: unknown): string {
  const where = formatPath(path);
  const line = where === "" ? text : `${where}: ${text}`;
  const value = received === "left-out" ? undefined : valueAt(input, path);
  if (value === undefined) return mismatch === undefined || received === "named" ? line : `${line}, received nothing`;
  if (value === null && received === "named") return line;
  const json = cutText(JSON.stringify(value) ?? String(value), MAX_VALUE_CHARS);
  return received === "named" ? `${line} (${json})` : `${line}, received ${json}`;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

/** For example `days[2].from` or `headers["x-id"]`; empty for the root. */
function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    const name = String(key);
    if (/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(name)) return text === "" ? name : `${text}.${name}`;
    return `${text}[${JSON.stringify(name)}]`;
  }, "");
}
