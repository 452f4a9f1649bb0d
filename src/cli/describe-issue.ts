import type { z } from "zod";

/** The first thing that is wrong with a value from outside: where, what was expected, what came. */
export function describeIssue(error: z.ZodError, value: unknown): string {
  const issue = innermost(error.issues[0]);
  if (issue === undefined) return "it cannot be read";
  const came = issue.path.reduce<unknown>(
    (at, key) => (typeof at === "object" && at !== null ? (at as Record<PropertyKey, unknown>)[key] : undefined),
    value,
  );
  const place = issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
  if (issue.code === "unrecognized_keys") return `${place}${issue.message}`;
  return `${place}${issue.message}, received ${came === undefined ? "nothing" : JSON.stringify(came)?.slice(0, MAX_CAME) || typeof came}`;
}

const MAX_CAME = 200;

/** Of a union the branch that got furthest says most. */
function innermost(issue: z.core.$ZodIssue | undefined): z.core.$ZodIssue | undefined {
  if (issue?.code !== "invalid_union") return issue;
  const inner = issue.errors.flatMap((branch) => innermost(branch[0]) ?? []).filter(({ code }) => code !== "custom");
  const deepest = inner.sort((a, b) => b.path.length - a.path.length)[0];
  return deepest === undefined ? issue : { ...deepest, path: [...issue.path, ...deepest.path] };
}
