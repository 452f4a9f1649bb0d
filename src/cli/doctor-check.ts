/** What one check found. `note`: something optional is not there. `problem`: something has to be mended. */
export interface CheckResult {
  /** What was checked. */
  readonly check: string;
  readonly status: "ok" | "note" | "problem";
  /** What was found, and what to do about it, in one line. */
  readonly text: string;
}

/** A check that went well. */
export function ok(check: string, text: string): CheckResult {
  return { check, status: "ok", text };
}

/** Something that may be missing is missing. */
export function note(check: string, text: string): CheckResult {
  return { check, status: "note", text };
}

/** Something has to be mended. */
export function problem(check: string, text: string): CheckResult {
  return { check, status: "problem", text };
}
