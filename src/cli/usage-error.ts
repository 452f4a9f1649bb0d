import { TriactError } from "../base/errors.js";

/** The command was called in a way that cannot be carried out. Nothing was run. */
export class UsageError extends TriactError {
  override readonly name = "UsageError";
  readonly code = "usage";
  constructor({ problem, cause }: { problem: string; cause?: unknown }) {
    super(problem, { cause });
  }
}
