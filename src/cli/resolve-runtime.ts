import type { AgentRuntime } from "../base/agent-runtime.js";
import { messageOf } from "../base/errors.js";
import { isObject, type JsonObject } from "../base/json.js";
import { CodeActRuntime } from "../runtimes/codeact-runtime.js";
import type { DeepResearchOptions } from "../runtimes/deep-research/deep-research-options.js";
import { Planner } from "../runtimes/deep-research/planner.js";
import { DeepResearchRuntime } from "../runtimes/deep-research-runtime.js";
import { ReActRuntime } from "../runtimes/react-runtime.js";
import type { CodeExecutor } from "../sandbox/code-executor.js";
import type { AgentPlan } from "./agent-plan.js";
import { installedVersion } from "./installed-package.js";
import { UsageError } from "./usage-error.js";

/** A runtime for the time of a command. */
export interface ResolvedRuntime {
  readonly runtime: AgentRuntime;
  /** Ends what the runtime started: processes, for example. */
  readonly dispose: () => Promise<void>;
}

/** What `--sandbox` knows: where CodeAct's code runs, and the package that this needs. */
export const sandboxes = {
  "isolated-vm": { package: "isolated-vm", create: undefined }, // the runtime makes it itself
  quickjs: {
    package: "quickjs-emscripten",
    create: async (): Promise<CodeExecutor> => new (await import("../sandbox/index.js")).QuickJsExecutor(),
  },
} as const;

/** A name of {@link sandboxes}. */
export type SandboxName = keyof typeof sandboxes;

interface RuntimeParts {
  /** For problems. */
  readonly flag: string;
  readonly options: JsonObject | undefined;
  readonly sandbox: SandboxName | undefined;
}

/** Every runtime that `--runtime` knows, by name. */
export const runtimes: Readonly<Record<string, (parts: RuntimeParts) => Promise<ResolvedRuntime>>> = {
  react: async ({ options, flag }) => {
    if (options !== undefined) throw new UsageError({ problem: `${flag}: react takes no options.` });
    return { runtime: new ReActRuntime(), dispose: async () => undefined };
  },
  codeact: async ({ options, flag, sandbox = "isolated-vm" }) => {
    const { package: needed, create } = sandboxes[sandbox];
    if (installedVersion(needed) === undefined) {
      const other = sandbox === "isolated-vm" ? ", or choose --sandbox quickjs" : "";
      const problem = `${flag}: codeact needs the package ${needed}. Install it beside triact: npm install ${needed}${other}`;
      throw new UsageError({ problem });
    }
    const executor = await create?.();
    const runtime = new CodeActRuntime({ ...options, ...(executor === undefined ? undefined : { executor }) });
    return { runtime, dispose: () => executor?.dispose() ?? runtime.dispose() };
  },
  "deep-research": async ({ options = {} }) => {
    return { runtime: new DeepResearchRuntime(deepResearchOptions(options)), dispose: async () => undefined };
  },
};

const planners: Readonly<Record<string, () => Planner>> = { model: () => Planner.model(), simple: () => Planner.simple() };

/** Options as the command line can say them: a planner by its name. */
function deepResearchOptions({ planner, ...options }: JsonObject): DeepResearchOptions {
  const create = typeof planner === "string" && Object.hasOwn(planners, planner) ? planners[planner] : undefined;
  if (planner !== undefined && planner !== false && create === undefined) {
    const problem = `--runtime: planner must be ${Object.keys(planners).join(", ")} or false, received ${JSON.stringify(planner)}.`;
    throw new UsageError({ problem });
  }
  return { ...options, ...(planner === undefined ? undefined : { planner: create?.() ?? false }) } as DeepResearchOptions;
}

/**
 * The runtime of a name, or of a name with options: `codeact:{"finish":"model"}`. Default: ReAct.
 * @param flag - Where the name was given, for problems.
 * @throws UsageError for a name or options that cannot be read; AgentConfigError of the runtime for an option that it does not allow.
 */
export async function resolveRuntime(
  { runtime: spec = "react", sandbox }: Pick<AgentPlan, "runtime" | "sandbox">,
  flag = "--runtime",
): Promise<ResolvedRuntime> {
  const at = spec.indexOf(":");
  const name = at < 0 ? spec : spec.slice(0, at);
  const create = Object.hasOwn(runtimes, name) ? runtimes[name] : undefined;
  if (create !== undefined) {
    return create({
      flag,
      options: at < 0 ? undefined : readOptions(name, { text: spec.slice(at + 1), flag }),
      sandbox: readSandbox(sandbox),
    });
  }
  throw new UsageError({
    problem: `${flag}: there is no runtime ${JSON.stringify(name)}. Allowed: ${Object.keys(runtimes).join(", ")}.`,
  });
}

function readSandbox(name: string | undefined): SandboxName | undefined {
  if (name === undefined || Object.hasOwn(sandboxes, name)) return name as SandboxName | undefined;
  throw new UsageError({
    problem: `--sandbox: there is no sandbox ${JSON.stringify(name)}. Allowed: ${Object.keys(sandboxes).join(", ")}.`,
  });
}

function readOptions(name: string, { text, flag }: { readonly text: string; readonly flag: string }): JsonObject {
  const expected = `expected ${name}:{…}, a JSON object of options`;
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value as JsonObject;
  } catch (cause) {
    throw new UsageError({ problem: `${flag}: ${expected}: ${messageOf(cause)}.`, cause });
  }
  throw new UsageError({ problem: `${flag}: ${expected}, received ${text}.` });
}
