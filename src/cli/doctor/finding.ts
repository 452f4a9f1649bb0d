/** What one check found out. */
export interface Finding {
  /** What was looked at, for example `Node` or `provider openai`. */
  readonly subject: string;
  /** `absent` is no fault: an optional thing that is not there. */
  readonly state: "fine" | "absent" | "wrong";
  readonly text: string;
  /** What to do about it, in a line. */
  readonly advice?: string;
}

/** The findings that something has to be done about. */
export function problems(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ state }) => state === "wrong");
}
