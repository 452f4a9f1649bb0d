import type { AgentRuntime } from "../base/agent-runtime.js";
import { messageOf } from "../base/errors.js";
import { isObject, type JsonObject } from "../base/json.js";
import { CodeActRuntime } from "../runtimes/codeact-runtime.js";
import { ReActRuntime } from "../runtimes/react-runtime.js";
import { installedVersion } from "./installed-package.js";
import { UsageError } from "./usage-error.js";

/** A runtime for the time of a command. */
export interface ResolvedRuntime {
  readonly runtime: AgentRuntime;
  /** Ends what the runtime started: processes, for example. */
  readonly dispose: () => Promise<void>;
}

/** Every runtime that `--runtime` knows, by name. */
export const runtimes: Readonly<Record<string, (options: JsonObject | undefined) => ResolvedRuntime>> = {
  react: (options) => {
    if (options !== undefined) throw new UsageError({ problem: "--runtime: react takes no options." });
    return { runtime: new ReActRuntime(), dispose: async () => undefined };
  },
  codeact: (options) => {
    if (installedVersion("isolated-vm") === undefined) {
      throw new UsageError({
        problem: "--runtime: codeact needs the package isolated-vm. Install it beside triact: npm install isolated-vm",
      });
    }
    const runtime = new CodeActRuntime(options);
    return { runtime, dispose: () => runtime.dispose() };
  },
};

/**
 * The runtime of a name, or of a name with options: `codeact:{"finish":"model"}`. Default: ReAct.
 * @throws UsageError for a name or options that cannot be read; AgentConfigError of the runtime for an option that it does not allow.
 */
export function resolveRuntime(spec = "react"): ResolvedRuntime {
  const at = spec.indexOf(":");
  const name = at < 0 ? spec : spec.slice(0, at);
  const create = Object.hasOwn(runtimes, name) ? runtimes[name] : undefined;
  if (create !== undefined) return create(at < 0 ? undefined : readOptions(name, spec.slice(at + 1)));
  throw new UsageError({
    problem: `--runtime: there is no runtime ${JSON.stringify(name)}. Allowed: ${Object.keys(runtimes).join(", ")}.`,
  });
}

function readOptions(name: string, text: string): JsonObject {
  const expected = `expected ${name}:{…}, a JSON object of options`;
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value as JsonObject;
  } catch (cause) {
    throw new UsageError({ problem: `--runtime: ${expected}: ${messageOf(cause)}.`, cause });
  }
  throw new UsageError({ problem: `--runtime: ${expected}, received ${text}.` });
}
