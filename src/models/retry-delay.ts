import type { ModelTiming } from "./model-timing.js";

/** Longest wait that a provider may ask for, in milliseconds. One that asks for more is not waited for. */
export const MAX_RETRY_AFTER_MS = 60_000;

const BASE_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

/**
 * Waiting time before a retry, with full jitter.
 * @param attempt - Retry number, from 1.
 * @returns Milliseconds, from 0 to `min(30_000, 500 * 2 ** (attempt - 1))`.
 * @see M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
 */
export function jitteredDelay(attempt: number, random: ModelTiming["random"]): number {
  return random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (attempt - 1));
}

/**
 * How long the provider asks to wait, in milliseconds: from `retry-after-ms`, `retry-after` in seconds or as a date, else from the text.
 * @returns `undefined` when it does not say.
 */
export function retryAfterMs(
  { header, text }: { header: (name: string) => string | undefined; text: string },
  now: ModelTiming["now"],
): number | undefined {
  return fromMilliseconds(header("retry-after-ms")) ?? fromRetryAfter(header("retry-after"), now) ?? fromText(text);
}

function fromMilliseconds(value: string | undefined): number | undefined {
  return value !== undefined && /^\s*\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}

function fromRetryAfter(value: string | undefined, now: ModelTiming["now"]): number | undefined {
  if (value === undefined) return undefined;
  if (/^\s*\d+(?:\.\d+)?\s*$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now());
}

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** `"retryDelay": "34s"` of Google, `Please try again in 6m0.5s` of OpenAI and Groq. */
function fromText(text: string): number | undefined {
  const [, duration] = /(?:"retryDelay":\s*"|try again in |retry in )((?:\d+(?:\.\d+)?(?:ms|h|m|s))+)/i.exec(text) ?? [];
  if (duration === undefined) return undefined;
  let total = 0;
  for (const [, amount, unit = ""] of duration.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)) total += Number(amount) * (UNIT_MS[unit] ?? 0);
  return total;
}
