/**
 * Random choices that depend on a seed alone, so that a suite is the same on every machine.
 *
 * Not for secrets. The numbers are those of Mulberry32 (T. Ettinger, public domain, 2017).
 */
export class Random {
  #state: number;

  /** @param seed - Numbers and labels; another label gives an unrelated sequence of the same seed. */
  constructor(...seed: readonly (number | string)[]) {
    this.#state = hash(seed.join("\u0000"));
  }

  /** A number from 0 up to but not including 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from `low` to `high`, both of them possible. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /**
   * One of the values.
   * @throws RangeError for an empty list.
   */
  pick<T>(values: readonly T[]): T {
    if (values.length === 0) throw new RangeError("There is nothing to pick from.");
    return values[this.integer(0, values.length - 1)] as T;
  }

  /** The values in another order; the list itself is left alone. */
  shuffle<T>(values: readonly T[]): T[] {
    const shuffled = [...values];
    for (let last = shuffled.length - 1; last > 0; last--) {
      const other = this.integer(0, last);
      [shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T];
    }
    return shuffled;
  }

  /**
   * Different values, in random order.
   * @throws RangeError when there are fewer than `count`.
   */
  sample<T>(values: readonly T[], count: number): T[] {
    if (count > values.length) throw new RangeError(`${count} of ${values.length} values cannot be picked.`);
    return this.shuffle(values).slice(0, count);
  }
}

/** FNV-1a over UTF-16 code units, 32 bits, mixed at the end so that seeds in a row start far apart. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return state ^ (state >>> 16);
}
