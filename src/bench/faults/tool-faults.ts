import { isObject } from "../../base/json.js";
import { type AgentTool, registerTool } from "../../base/tool.js";
import { type Fault, strikes, type ToolFaultKind } from "./fault-kinds.js";

/** What {@link faultyTools} takes. */
export interface ToolFaultOptions {
  /** One of the tools'. */
  readonly fault: Fault;
  /** Chooses which calls are hit, where the fault has a rate. */
  readonly seed: number;
  /** The cell. */
  readonly place: string;
  /** Called for each call that is hit. */
  readonly onFault: () => void;
}

const SLOW_MS = 100;
const HUGE_CHARS = 300_000;

/** Tools that make trouble. They hold the state of one cell. A call that throws has changed nothing. */
export function faultyTools(tools: readonly AgentTool[], { fault, seed, place, onFault }: ToolFaultOptions): AgentTool[] {
  const kind = fault.kind as ToolFaultKind;
  let calls = 0;
  let broken: string | undefined;
  return tools.map((tool) =>
    registerTool({
      ...tool,
      async execute(input, context) {
        const isHit = strikes(fault, { seed, place, index: calls });
        calls += 1;
        if (isHit) broken ??= tool.name;
        if (kind === "tool-throws-always" ? tool.name === broken : isHit && kind === "tool-throws-once") {
          onFault();
          throw new Error(`${tool.name} is out of order`);
        }
        if (isHit && kind === "tool-slow") {
          onFault();
          await pause(context.signal);
        }
        const output: unknown = await tool.execute(input, context);
        if (!isHit || kind !== "tool-huge-result" || !isPlainObject(output)) return output;
        onFault();
        return inflated(output);
      },
    }),
  );
}

function isPlainObject(output: unknown): output is object {
  return isObject(output) && Object.getPrototypeOf(output) === Object.prototype;
}

/** The result with so much beside it that no request should carry it. */
function inflated(output: object): object {
  return { ...output, attachment: "0123456789 ".repeat(HUGE_CHARS / 11) };
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, SLOW_MS);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
