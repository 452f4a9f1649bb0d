import { z } from "zod";
import { AgentConfigError } from "../base/errors.js";
import type { ChatQuirks } from "./chat-quirks.js";
import type { ClassifyError } from "./error-class.js";
import type { ModelTiming } from "./model-timing.js";

/** Options of a provider's model. Each has a default. */
export interface ProviderOptions {
  /** The key, or what gives it; a function is asked before each request. @default the first of the preset's environment variables that is set */
  readonly apiKey?: string | (() => string | Promise<string>);
  /** @default the preset's */
  readonly baseUrl?: string;
  /** Headers that go with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Retries of one call after a rate limit, an overload, a lost connection or a fault of the server; an integer from 0. @default 3 */
  readonly maxRetries?: number;
  /** How long a stream may be silent before it is given up, in milliseconds; the wait for its beginning counts. @default 300_000 */
  readonly idleTimeoutMs?: number;
  /** Marks for Anthropic's prompt cache, and how long it keeps: `false` for none. Other protocols cache by themselves. @default "5m" */
  readonly promptCache?: false | "5m" | "1h";
  /** Sends tool schemas in the form of the provider's strict mode where they have one. @default false */
  readonly strictTools?: boolean;
  /** Differences of a server that speaks Chat Completions, over those of the preset. */
  readonly quirks?: Partial<ChatQuirks>;
  /** Your own rule for errors, asked before the table. */
  readonly classifyError?: ClassifyError;
  /** Lets the SDK run in a browser, where everybody can read the key. @default false */
  readonly dangerouslyAllowBrowser?: boolean;
  /** Clock, dice and timers, for tests. */
  readonly timing?: ModelTiming;
}

type OptionsSchema = ReturnType<typeof createSchema>;

let schema: OptionsSchema | undefined;

/** Made when the first model is made: importing triact need not pay for it. */
function createSchema() {
  return z.strictObject({
    apiKey: z.union([z.string(), z.function()]).optional(),
    baseUrl: z.url({ protocol: /^https?$/ }).optional(),
    headers: z.record(z.string(), z.string()).optional(),
    maxRetries: z.int().min(0).optional(),
    idleTimeoutMs: z.number().positive().optional(),
    promptCache: z.union([z.literal(false), z.enum(["5m", "1h"])]).optional(),
    strictTools: z.boolean().optional(),
    quirks: z.looseObject({}).optional(),
    classifyError: z.function().optional(),
    dangerouslyAllowBrowser: z.boolean().optional(),
    timing: z.looseObject({}).optional(),
  });
}

/** @throws AgentConfigError naming the option, what is wrong with it, and what is allowed. It never holds a value: that may be the key. */
export function checkProviderOptions(options: ProviderOptions, label: string): ProviderOptions {
  schema ??= createSchema();
  const result = schema.safeParse(options);
  if (result.success) return options;
  const [issue] = result.error.issues;
  const keys = issue?.code === "unrecognized_keys" ? issue.keys : [];
  const path = [label, ...(issue?.path ?? []).map(String), ...keys.slice(0, 1)].join(".");
  const problem =
    keys.length > 0 ? `unknown option. Allowed: ${Object.keys(schema.shape).join(", ")}` : (issue?.message ?? "it is not valid");
  throw new AgentConfigError({ field: path, problem });
}
