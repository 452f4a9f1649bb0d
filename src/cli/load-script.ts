import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import type { AgentModel } from "../base/model.js";
import type { ReplyFunction, ScriptedReply, ScriptedTurn } from "../testing.js";
import { describeIssue } from "./describe-issue.js";
import { importProblem } from "./import-problem.js";
import type { ResolveModelOptions } from "./resolve-model.js";
import { UsageError } from "./usage-error.js";

/** What a script file holds: replies, or replies and a seed that cuts them into deltas. */
interface Script {
  readonly turns: readonly ScriptedTurn[];
  readonly seed?: number | undefined;
}

/**
 * Reads a script: JSON, or a module with the script as its default export, whose turns may be functions.
 * @param path - An absolute path.
 * @throws UsageError naming the file, the reply and the field.
 */
export async function loadScript(path: string, { host: { importModule }, skipReplies = 0 }: ResolveModelOptions): Promise<AgentModel> {
  const { turns, seed } = parseScript(path, await readScript(path, importModule));
  const { ScriptedModel } = await import("../testing.js");
  return new ScriptedModel(turns.slice(skipReplies), seed === undefined ? {} : { seed });
}

async function readScript(path: string, importModule: ResolveModelOptions["host"]["importModule"]): Promise<unknown> {
  try {
    if (path.endsWith(".json")) return JSON.parse(await readFile(path, "utf8"));
    return (await importModule(pathToFileURL(path).href))["default"];
  } catch (cause) {
    throw new UsageError({ problem: `--model: the script ${path} could not be read: ${importProblem(path, cause)}`, cause });
  }
}

function parseScript(path: string, value: unknown): Script {
  const parsed = createScriptSchema().safeParse(Array.isArray(value) ? { turns: value } : value);
  if (parsed.success) return parsed.data as Script;
  const problem = describeIssue(parsed.error, Array.isArray(value) ? { turns: value } : value);
  throw new UsageError({ problem: `--model: the script ${path} cannot be used: ${problem}.`, cause: parsed.error });
}

function createScriptSchema() {
  const text = z.string();
  const count = z.number().nonnegative().optional();
  const call = z.strictObject({
    toolName: text.min(1),
    input: z.unknown().default({}),
    toolCallId: text.min(1).optional(),
  });
  const usage = z.strictObject({
    inputTokens: count,
    outputTokens: count,
    cacheReadTokens: count,
    cacheWriteTokens: count,
    reasoningTokens: count,
    totalCost: count,
  });
  const reply = z.strictObject({
    reasoning: text.optional(),
    text: text.optional(),
    toolCalls: z.array(call).optional(),
    events: z.array(z.looseObject({ type: text })).optional(),
    usage: usage.optional(),
    finishReason: z
      .enum(["stop", "tool-calls", "max-tokens", "refusal", "content-filter", "pause", "aborted", "error", "unknown"])
      .optional(),
    error: text.optional(),
    errorClass: text.optional(),
    throws: z.unknown().optional(),
    hangs: z.boolean().optional(),
  } satisfies Record<keyof ScriptedReply, unknown>);
  const turn = z.custom<ReplyFunction>((value) => typeof value === "function").or(reply);
  const error = ({ code }: { readonly code?: string }) =>
    code === "invalid_type" ? "expected a list of replies, or { turns, seed }" : undefined;
  return z.strictObject({ turns: z.array(turn), seed: z.int().optional() }, { error });
}
