import { keyOf, type MadeCall, type Played, playProgram } from "./play-program.js";

/** A call in a transcript. */
export interface SeenCall extends MadeCall {
  /** True when the failure was the framework's and nothing was executed, so that the call is still to be made. */
  readonly notExecuted?: boolean;
}

/** How often a call is made that fails and that the program cannot do without. */
const MAX_TRIES = 3;

/**
 * What a program does next: as {@link playProgram}, but a call that failed where the program did not expect it is made again, and so is one that was not
 * executed; three times at most.
 */
export async function nextAction(program: string, transcript: readonly SeenCall[]): Promise<Played> {
  let usable = withoutRefused(transcript);
  for (;;) {
    const played = await playProgram(program, usable);
    if (played.kind !== "failed" || played.refused === undefined) return played;
    const failures = usable.filter((call) => call.error !== undefined && keyOf(call) === played.refused);
    if (failures.length === 0 || failures.length >= MAX_TRIES) return played;
    usable = usable.filter((call) => !failures.includes(call));
  }
}

function withoutRefused(transcript: readonly SeenCall[]): readonly SeenCall[] {
  if (!transcript.some(({ notExecuted }) => notExecuted)) return transcript;
  const refused = Map.groupBy(
    transcript.filter(({ notExecuted }) => notExecuted),
    keyOf,
  );
  return transcript.filter((call) => !call.notExecuted || (refused.get(keyOf(call)) ?? []).length >= MAX_TRIES);
}
