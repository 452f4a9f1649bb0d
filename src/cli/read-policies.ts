import { readFile } from "node:fs/promises";
import { z } from "zod";
import { messageOf } from "../base/errors.js";
import type { ToolPolicies, ToolPolicy } from "../base/policy.js";
import { describeIssue } from "./describe-issue.js";
import { UsageError } from "./usage-error.js";

const verbs: Readonly<Record<string, ToolPolicy>> = {
  allow: { enabled: true, autoApprove: true },
  ask: { enabled: true, autoApprove: false },
  deny: { enabled: false },
};

/**
 * The policies of all `--policy` flags. A later flag replaces what an earlier one said of the same tool.
 * @param policies - Rules, or absolute paths of JSON files.
 * @param toolNames - Tools that there are; a rule for another one is refused, because it would protect nothing.
 * @throws UsageError for a rule or file that cannot be used.
 */
export async function readPolicies(policies: readonly string[], toolNames: readonly string[]): Promise<ToolPolicies> {
  const read = new Map<string, ToolPolicy>();
  for (const policy of policies) {
    for (const [name, entry] of await entriesOf(policy)) {
      if (name !== "*" && !toolNames.includes(name)) {
        const tools = toolNames.length === 0 ? "There are none; --tools brings some" : `Tools: ${toolNames.join(", ")}`;
        throw new UsageError({ problem: `--policy ${policy}: there is no tool ${JSON.stringify(name)}. ${tools}.` });
      }
      read.set(name, entry);
    }
  }
  return Object.fromEntries(read);
}

async function entriesOf(policy: string): Promise<readonly (readonly [string, ToolPolicy])[]> {
  const [, verb = "", name] = policy.match(/^(ask|allow|deny)(?::(.*))?$/s) ?? [];
  const entry = verbs[verb];
  if (entry === undefined) return entriesOfFile(policy);
  if (name === "") throw new UsageError({ problem: `--policy ${policy}: the name of a tool is missing behind the colon.` });
  return [[name ?? "*", entry]];
}

async function entriesOfFile(path: string): Promise<readonly (readonly [string, ToolPolicy])[]> {
  const value = await readJson(path);
  const flag = z.boolean().optional();
  const schema = z.record(z.string(), z.strictObject({ enabled: flag, autoApprove: flag, reason: z.string().optional() }));
  const parsed = schema.safeParse(value);
  if (parsed.success) return Object.entries(parsed.data as ToolPolicies);
  throw new UsageError({ problem: `--policy ${path}: it cannot be used: ${describeIssue(parsed.error, value)}.`, cause: parsed.error });
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    const expected = "Expected ask, allow, deny, one of them with :NAME, or a JSON file of policies";
    throw new UsageError({ problem: `--policy ${path}: it could not be read: ${messageOf(cause)}. ${expected}.`, cause });
  }
}
