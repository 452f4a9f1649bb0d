import type { CodeActOptions } from "../runtimes/codeact/codeact-options.js";
import { CodeActRuntime } from "../runtimes/codeact-runtime.js";
import type { DeepResearchOptions } from "../runtimes/deep-research/deep-research-options.js";
import { DeepResearchRuntime } from "../runtimes/deep-research-runtime.js";
import { ReActRuntime } from "../runtimes/react-runtime.js";
import { AgentBuilder } from "./agent-builder.js";

/** Where agents begin. */
export const Agents = {
  /** A builder without options. */
  builder(): AgentBuilder {
    return new AgentBuilder();
  },
  /** A builder for an agent that calls tools natively. */
  react(): AgentBuilder {
    return new AgentBuilder({ runtime: new ReActRuntime() });
  },
  /** A builder for an agent that acts by writing code. */
  codeAct(options?: CodeActOptions): AgentBuilder {
    return new AgentBuilder({ runtime: new CodeActRuntime(options) });
  },
  /** A builder for an agent that plans first. */
  deepResearch(options?: DeepResearchOptions): AgentBuilder {
    return new AgentBuilder({ runtime: new DeepResearchRuntime(options) });
  },
} as const;
