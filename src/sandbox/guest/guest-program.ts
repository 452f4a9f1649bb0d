import { captureIntrinsics } from "./capture-intrinsics.js";
import { createClock } from "./guest-clock.js";
import { createConsole } from "./guest-console.js";
import { createInspector } from "./guest-inspector.js";
import { createPromiseAwaiter } from "./guest-promises.js";
import { createSerializer } from "./guest-serializer.js";
import { createTools } from "./guest-tools.js";
import { startGuest } from "./start-guest.js";

/** Name under which our own code stands in the guest's stacks. */
export const GUEST_FILE_NAME = "triact-guest.js";

/** Name under which the model's code stands in the guest's stacks. */
export const CODE_FILE_NAME = "code.js";

/**
 * The program that sets up a guest's realm: a function body that finds the way out in `sendName` and returns the way in.
 *
 * It is put together from functions that refer to nothing outside of themselves, so that they are compiled, checked and tested like any other code.
 */
export function guestProgram(sendName: string): string {
  const parts = { createSerializer, createInspector, createPromiseAwaiter, createClock, createConsole, createTools };
  const texts = Object.entries(parts).map(([name, part]) => `${name}: (${part.toString()})`);
  // Some bundlers wrap functions in a helper of this name to keep what they are called.
  return `"use strict"; const __name = (value) => value;
return (${startGuest.toString()})({ intrinsics: (${captureIntrinsics.toString()})(), send: ${sendName}, ${texts.join(", ")} });`;
}
