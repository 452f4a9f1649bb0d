import { HookError } from "./errors.js";

/** Messages of the user for a run that is under way, first come first served. */
export class SteeringQueue {
  readonly #texts: string[] = [];
  readonly #consume: (() => string | undefined) | undefined;

  /** @param consume - The configuration's `consumePendingUserMessage`: asked once each time the queue is looked at. */
  constructor(consume?: () => string | undefined) {
    this.#consume = consume;
  }

  push(text: string): void {
    this.#texts.push(text);
  }

  /**
   * Asks the configured source, so that `waiting` is up to date.
   * @throws HookError when the source throws.
   */
  poll(): void {
    let text: string | undefined;
    try {
      text = this.#consume?.();
    } catch (cause) {
      throw new HookError({ hook: "consumePendingUserMessage", cause });
    }
    if (typeof text === "string" && text.trim() !== "") this.#texts.push(text);
  }

  get waiting(): boolean {
    return this.#texts.length > 0;
  }

  /** Takes all that is queued. */
  take(): string[] {
    return this.#texts.splice(0);
  }
}
