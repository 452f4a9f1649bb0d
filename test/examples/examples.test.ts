import { globSync, rmSync } from "node:fs";
import { basename } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { projectRoot } from "../../scripts/source-files.ts";
import { runNode } from "../package/build-package.ts";
import { buildExamples, newFolder } from "./build-examples.ts";

/** What an example must show, in this order. */
const shown: Readonly<Record<string, readonly string[]>> = {
  "code-action.ts": [
    "ReAct, one at a time 32 model calls, 31 tool calls, ",
    "ReAct, five at once  8 model calls, 31 tool calls, ",
    "ReAct, all at once   3 model calls, 31 tool calls, ",
    "CodeAct              1 model calls, 31 tool calls, ",
    "  Customer 19 owes most, 1220 EUR. In all 15236 EUR are owed.\n",
    "The answers are the same.\n",
    "Tokens are estimated: characters of every request as JSON, divided by four",
  ],
  "deep-research.ts": ["☐ 1. ", "☑ 5. ", "completed (natural)\n", "\nSources:\n[1] "],
  "remote-executor.ts": ["The warmest has 21 degrees.\n"],
  "streaming.ts": [
    "turn 1\n",
    "finish reason: tool-calls\n",
    'brew({"tea":"sencha","minutes":2})\n',
    '… {"minute":1,"of":2}\n',
    '… {"minute":2,"of":2}\n',
    '"output":"a pot of sencha"',
    "turn 2\n",
    "finish reason: stop\n",
    "with 4 messages in the history\n",
    "completed: Here is a pot of sencha. Careful, it is hot.\n",
    "155 tokens in, 39 tokens out\n",
  ],
  "hooks.ts": [
    "find_guests runs with limit 2,\n",
    'and returns ["Ada Berg, ada@example.com","Ada Lie, +47 555 01 234"]\n',
    "completed: I found Ada Berg, (mail hidden) and Ada Lie, +47 555 01 234.\n",
    '"input":{"name":"Ada","limit":50}',
    'tool      ["Ada Berg, (mail hidden)","Ada Lie, +47 555 01 234"]\n',
    'user      <hook_context source="PreToolUse" tool_name="find_guests" tool_call_id="call_1">No more than 2 guests are shown at once.</hook_context>\n',
    'options   {"temperature":0,"maxOutputTokens":500}\n',
    "aborted (hook-stop): Mails are not sent on Sundays.\n",
  ],
  "approval.ts": [
    'asked   pay {"to":"Rosa the florist","amount":80}\n',
    "answer  no. More than 50 EUR at once is too much. Pay in parts.\n",
    'model   reads 400, and {"error":"Approval for tool pay was denied: More than 50 EUR at once is too much.',
    'asked   pay {"to":"Rosa the florist","amount":40}\n',
    "answer  yes\n",
    "(40 EUR go to Rosa the florist)\n",
    "completed: Rosa has 40 of her 80 EUR. And of the account: The policy does not allow tool close_account. Nothing was executed.\n",
  ],
  "snapshot.ts": [
    "I have read 3 messages, so I know: by the window.\n",
    "aborted; saved while running, open: book_table\n",
    '→ book_table {"day":"Friday"}\n',
    'tool      {"error":"The run was interrupted before tool book_table gave a result.',
    "I was interrupted, so I look before I book twice. → list_bookings {}\n",
    'tool      ["Friday"]\n',
    "You have a table on Friday.\n",
  ],
  "two-processes.ts": [
    "(invoice 17 is looked up by process 1)\n",
    'process 1 ends: suspended, waiting for pay {"eur":900}\n',
    "a person says: yes, but half of it\n",
    "(450 EUR are paid by process 2)\n",
    'process 2 ends: completed. I know: {"number":17,"eur":900} and {"paid":450}\n',
  ],
  "custom-runtime.ts": [
    'convert: Converts nautical miles to kilometres. {"type":"object"',
    "assistant convert {miles: 120}\n",
    "user      What follows convert is not JSON. Write the line again.\n",
    'user      TOOL_ERROR: {"errorType":"invalid-arguments"',
    'assistant convert {"miles": 120}\n',
    'user      TOOL_RESULT: {"output":222,"tool":"convert"',
    "assistant That is 222 km.\n",
    "line runtime: completed after 4 turns\n",
  ],
};

const folder = newFolder();

beforeAll(() => buildExamples(folder), 120_000);

afterAll(() => rmSync(folder, { recursive: true }));

const files = globSync("examples/*.ts", { cwd: projectRoot }).map((file) => basename(file));

test.for(files.sort())("%s ends well and shows what it is about", { timeout: 60_000 }, async (file) => {
  const { ok, output } = await runNode([`examples/${file}`], { cwd: folder, timeoutMs: 30_000 });
  expect(ok, output).toBe(true);
  expect(inOrder(output, shown[file] ?? []), output).toEqual([]);
});

/** The texts that do not come after the ones before them. */
function inOrder(output: string, texts: readonly string[]): string[] {
  let from = 0;
  return texts.filter((text) => {
    const at = output.indexOf(text, from);
    if (at >= 0) from = at + text.length;
    return at < 0;
  });
}
