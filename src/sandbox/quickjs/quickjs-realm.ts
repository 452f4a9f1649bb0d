import type { QuickJSContext, QuickJSHandle } from "quickjs-emscripten";
import { type Parser, type PreparedCode, prepareCode } from "../code/prepare-code.js";
import { guestProgram } from "../guest/guest-program.js";
import { completedEvent, failedEvent, isLogLevel } from "../guest-events.js";
import type { SandboxAnswer, SandboxCode, SandboxEvent } from "../sandbox.js";
import { cpuError } from "../sandbox-texts.js";

/** What the worker is told. */
export type WorkerCommand =
  | { readonly type: "run"; readonly code: SandboxCode }
  | { readonly type: "settle"; readonly answer: SandboxAnswer }
  | { readonly type: "ping" };

const STACK_BYTES = 512 * 1024;

/** What an interpreter is made with. */
export interface QuickJsRealmOptions {
  /** Most memory of the guest, in MiB. */
  readonly memoryMiB: number;
  /** Reads the guest's code. */
  readonly parser: Parser;
  /** Takes what happens in the realm. */
  readonly post: (event: SandboxEvent) => void;
}

/** One interpreter with one realm, in the thread that asks for it. Gives the function that takes commands. */
export async function createQuickJsRealm({ memoryMiB, parser, post }: QuickJsRealmOptions): Promise<(command: WorkerCommand) => void> {
  const { getQuickJS } = await import("quickjs-emscripten");
  const runtime = (await getQuickJS()).newRuntime({ memoryLimitBytes: memoryMiB * 1024 * 1024, maxStackSizeBytes: STACK_BYTES });
  const context = runtime.newContext();
  const enter = start(context);
  let prepared: PreparedCode | undefined;
  let cpuMs = Number.POSITIVE_INFINITY;
  let usedMs = 0;
  let enteredAt = 0;
  let isOver = false;

  runtime.setInterruptHandler(() => isOver || usedMs + performance.now() - enteredAt > cpuMs);

  function say(event: SandboxEvent): void {
    // What is interrupted sees an error of its own in the end.
    const isLate = event.type !== "lost" && usedMs + performance.now() - enteredAt > cpuMs;
    if (!isOver && !isLate) post(event);
  }

  /** Runs our own program in the realm, and gives the function by which the realm is entered. */
  function start(realm: QuickJSContext): QuickJSHandle {
    const send = realm.newFunction("send", (...handles) => {
      const [type = "", id = 0, first = "", second = ""] = handles.map((handle) => realm.dump(handle) as unknown);
      if (typeof id === "number" && typeof first === "string" && typeof second === "string") receive({ type, id, first, second });
      return realm.undefined;
    });
    const program = realm.unwrapResult(realm.evalCode(`(function ($0) { ${guestProgram("$0")} })`, "triact-guest.js"));
    return realm.unwrapResult(realm.callFunction(program, realm.undefined, send));
  }

  function receive({ type, id, first, second }: { type: unknown; id: number; first: string; second: string }): void {
    if (type === "called") say({ type, callId: id, toolName: first, text: second });
    else if (type === "logged" && isLogLevel(first)) say({ type, level: first, text: second });
    else if (type === "timer-set") say({ type, callId: id, delayMs: Number(first) });
    else if (type === "ponged") say({ type });
    else if (type === "completed") say(completedEvent({ omittedLogChars: id, text: first, meta: second }));
    else if (type === "failed") say(failedEvent({ omittedLogChars: id, meta: second, original: prepared?.original }));
  }

  /** Calls into the realm, and lets its promises go on until nothing more is to be done. */
  function apply(values: readonly (string | number | boolean)[]): void {
    enteredAt = performance.now();
    const handles = values.map((value) => handleOf(value));
    const result = context.callFunction(enter, context.undefined, ...handles);
    result.dispose();
    while (!isOver && runtime.hasPendingJob() && usedMs + performance.now() - enteredAt <= cpuMs)
      runtime.executePendingJobs(1_000).dispose();
    for (const handle of handles) handle.dispose();
    usedMs += performance.now() - enteredAt;
    if (usedMs <= cpuMs) return;
    say({ type: "lost", error: cpuError({ cpuMs }) });
    isOver = true;
  }

  function handleOf(value: string | number | boolean): QuickJSHandle {
    if (typeof value === "string") return context.newString(value);
    if (typeof value === "number") return context.newNumber(value);
    return value ? context.true : context.false;
  }

  function run(code: SandboxCode): void {
    const preparation = prepareCode(code, parser);
    if (!preparation.ok) {
      say({ type: "failed", error: preparation.error, notices: [], omittedLogChars: 0 });
      return;
    }
    const { original: _, ...step } = preparation.prepared;
    prepared = preparation.prepared;
    usedMs = 0;
    cpuMs = code.cpuMs;
    apply(["run", 0, JSON.stringify({ ...code.step, ...step })]);
  }

  return (command) => {
    if (command.type === "run") run(command.code);
    else if (command.type === "settle")
      apply(["settle", command.answer.callId, command.answer.text, command.answer.ok, command.answer.elapsedMs]);
    else apply(["ping", 0]);
  };
}
