import type { Intrinsics } from "./capture-intrinsics.js";

/** Time and chance in the guest. */
export type GuestClock = ReturnType<typeof createClock>;

/**
 * Replaces everything in the guest that tells the time or throws dice, so that code that runs again with the same start time, seed and tool results
 * does the same again.
 *
 * The clock begins at the start time of the execution. It stands still while code computes, but for a hundredth of a millisecond at each look (so that
 * a loop that waits for the clock ends), and jumps when a tool or a timer settles, to the time at which it did. `Math.random()` is sfc32 over a seed.
 *
 * Runs inside the guest: its text is taken by `toString()`, so it must not refer to anything outside of itself.
 *
 * @see C. Doty-Humphrey, PractRand 0.94, 2018, for sfc32.
 */
export function createClock(intrinsics: Intrinsics) {
  const { DateOf, define, floor, construct, globalObject } = intrinsics;
  const LOOK_MS = 0.01;
  let startTime = 0;
  let elapsedMs = 0;
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 1;

  function look(): number {
    elapsedMs += LOOK_MS;
    return elapsedMs;
  }

  function now(): number {
    return floor(startTime + look());
  }

  function random32(): number {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return sum >>> 0;
  }

  function start(options: { readonly seed: number; readonly startTime: number }): void {
    startTime = options.startTime;
    elapsedMs = 0;
    a = options.seed | 0;
    b = floor(options.seed / 0x1_0000_0000) | 0;
    c = 0x9e37_79b9 | 0;
    d = 1;
    for (let round = 0; round < 12; round++) random32();
  }

  function advanceTo(milliseconds: number): void {
    if (milliseconds > elapsedMs) elapsedMs = milliseconds;
  }

  function hide(holder: object, key: PropertyKey, value: unknown): void {
    define(holder, key, { value, writable: true, enumerable: false, configurable: true });
  }

  function installDate(): void {
    const GuestDate = function (this: unknown, ...values: unknown[]): unknown {
      if (new.target === undefined) return `${new DateOf(now())}`;
      return construct(DateOf, values.length === 0 ? [now()] : values, new.target);
    };
    define(GuestDate, "prototype", { value: DateOf.prototype, writable: false, enumerable: false, configurable: false });
    define(GuestDate, "name", { value: "Date", configurable: true });
    define(GuestDate, "length", { value: 7, configurable: true });
    hide(GuestDate, "now", { now: () => now() }.now);
    hide(GuestDate, "parse", DateOf.parse);
    hide(GuestDate, "UTC", DateOf.UTC);
    hide(DateOf.prototype, "constructor", GuestDate);
    hide(globalObject, "Date", GuestDate);
  }

  /** `format()` without a date means now, by a clock that is not ours. */
  function installFormats(): void {
    const intl = globalObject["Intl"] as typeof Intl | undefined;
    if (intl === undefined) return; // an engine without Intl
    const { prototype } = intl.DateTimeFormat;
    const nativeFormat = intrinsics.describe(prototype, "format")?.get as () => unknown;
    const nativeParts = prototype.formatToParts as (date: unknown) => unknown;
    const { apply } = intrinsics;
    define(prototype, "format", {
      get(this: unknown) {
        const format = apply(nativeFormat, this, []) as (date: unknown) => string;
        return (date: unknown) => format(date === undefined ? now() : date);
      },
      enumerable: false,
      configurable: true,
    });
    hide(prototype, "formatToParts", function formatToParts(this: unknown, date: unknown) {
      return apply(nativeParts, this, [date === undefined ? now() : date] as never);
    });
  }

  function install(): void {
    installDate();
    installFormats();
    hide(Math, "random", { random: () => (random32() * 0x20_0000 + (random32() >>> 11)) / 0x20_0000_0000_0000 }.random);
    hide(globalObject, "performance", intrinsics.freeze({ now: () => look() }));
  }

  return { install, start, advanceTo };
}
