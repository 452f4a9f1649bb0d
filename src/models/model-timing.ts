/** Clock, dice and timers of a model. Tests put in their own. */
export interface ModelTiming {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A number from 0 up to but not including 1. */
  readonly random: () => number;
  /** Calls back once after so many milliseconds. Returns what cancels it. */
  readonly setTimer: (callback: () => void, delayMs: number) => () => void;
}

/** The real ones. */
export const systemTiming: ModelTiming = Object.freeze({
  now: () => Date.now(),
  random: () => Math.random(),
  setTimer: (callback: () => void, delayMs: number) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
});

/** Waits. Ends at once, and leaves no timer and no listener, when the signal fires. */
export function sleep(delayMs: number, signal: AbortSignal, timing: ModelTiming): Promise<void> {
  if (delayMs <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const cancel = timing.setTimer(end, delayMs);
    signal.addEventListener("abort", end);
  });
}
