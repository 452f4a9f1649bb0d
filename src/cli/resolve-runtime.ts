import type { AgentRuntime } from "../base/agent-runtime.js";
import { CodeActRuntime } from "../runtimes/codeact-runtime.js";
import { ReActRuntime } from "../runtimes/react-runtime.js";
import { UsageError } from "./usage-error.js";

/** Every runtime that `--runtime` knows, by name. Options come as JSON behind the name, and are checked by the runtime. */
export const runtimes: Readonly<Record<string, (options: object | undefined) => AgentRuntime>> = {
  react: (options) => {
    if (options !== undefined) throw new UsageError({ problem: "--runtime: react has no options." });
    return new ReActRuntime();
  },
  codeact: (options) => new CodeActRuntime(options),
};

/**
 * The runtime of a name, or of a name and options: `codeact:{"finish":"model"}`. Default: ReAct.
 * @throws UsageError that lists the names, for another one, and for options that are no JSON object; AgentConfigError for a wrong option.
 */
export function resolveRuntime(spec = "react"): AgentRuntime {
  const [, name = "", json] = spec.match(/^([^:]*)(?::(.*))?$/s) ?? [];
  const create = Object.hasOwn(runtimes, name) ? runtimes[name] : undefined;
  if (create === undefined) {
    const allowed = Object.keys(runtimes).join(", ");
    throw new UsageError({ problem: `--runtime: there is no runtime ${JSON.stringify(name)}. Allowed: ${allowed}.` });
  }
  return create(json === undefined ? undefined : readOptions(name, json));
}

function readOptions(name: string, json: string): object {
  try {
    const options: unknown = JSON.parse(json);
    if (typeof options === "object" && options !== null && !Array.isArray(options)) return options;
  } catch {
    // said below
  }
  const example = `${name}:{"finish":"model"}`;
  throw new UsageError({ problem: `--runtime: the options of ${name} are a JSON object, for example '${example}'; received ${json}.` });
}
