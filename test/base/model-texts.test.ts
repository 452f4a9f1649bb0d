import { hookContextText, modelTexts, toolErrorText, toolResultText } from "triact";
import { describe, expect, test } from "vitest";

const many = Array.from({ length: 23 }, (_, index) => `tool_${index + 1}`);
const LISTED =
  "tool_1, tool_2, tool_3, tool_4, tool_5, tool_6, tool_7, tool_8, tool_9, tool_10, tool_11, tool_12, tool_13, tool_14, tool_15, tool_16, tool_17, tool_18, tool_19, tool_20";

/** Every text, by the name of its constant. A text that is missing here fails the last test. */
const TEXTS: readonly (readonly [keyof typeof modelTexts, string, string])[] = [
  ["unknownTool", modelTexts.unknownTool("sub", []), 'There is no tool named "sub". There are no tools.'],
  ["unknownTool", modelTexts.unknownTool("sub", ["add"]), 'There is no tool named "sub". Available tools: add.'],
  ["unknownTool", modelTexts.unknownTool("sub", many.slice(0, 20)), `There is no tool named "sub". Available tools: ${LISTED}.`],
  ["unknownTool", modelTexts.unknownTool("sub", many), `There is no tool named "sub". Available tools: ${LISTED}, and 3 more.`],
  ["unknownTool", modelTexts.unknownTool('a"b\n', []), 'There is no tool named "a\\"b\\n". There are no tools.'],
  [
    "unknownTool",
    modelTexts.unknownTool("x".repeat(300), []),
    `There is no tool named "${"x".repeat(200)}… [100 more characters]". There are no tools.`,
  ],
  ["invalidJson", modelTexts.invalidJson("add", "it is a list"), "Tool call add emitted invalid JSON arguments: it is a list"],
  ["raw", modelTexts.raw('{"a'), '"{\\"a"'],
  ["raw", modelTexts.raw("x".repeat(201)), `"${"x".repeat(200)}… [1 more characters]"`],
  ["raw", modelTexts.raw("half \ud83d"), '"half \ufffd"'],
  [
    "invalidArguments",
    modelTexts.invalidArguments("add", ["a: expected number, received text", "b: missing"]),
    "Tool call add does not fit the tool's input schema; nothing was executed. a: expected number, received text; b: missing",
  ],
  [
    "cutOff",
    modelTexts.cutOff("write"),
    "The output limit cut this reply, so tool call write may be incomplete. Nothing was executed. Send less at once: shorter arguments, or fewer calls.",
  ],
  ["disabled", modelTexts.disabled("pay"), "The policy does not allow tool pay. Nothing was executed."],
  ["disabled", modelTexts.disabled("pay", "no budget"), "The policy does not allow tool pay: no budget. Nothing was executed."],
  ["disabled", modelTexts.disabled("pay", "No!"), "The policy does not allow tool pay: No! Nothing was executed."],
  ["denied", modelTexts.denied("pay", "no."), "Approval for tool pay was denied: no. Nothing was executed."],
  ["noApprovalCallback", modelTexts.noApprovalCallback, "nobody can be asked for approval here."],
  ["noReason", modelTexts.noReason, "no reason was given."],
  ["reason", modelTexts.reason("too dear"), "too dear."],
  ["reason", modelTexts.reason("Why?"), "Why?"],
  ["approvalThrew", modelTexts.approvalThrew("no terminal"), "asking for approval failed (no terminal)."],
  ["cannotWait", modelTexts.cannotWait, "this run is a part of another one and cannot wait for an answer."],
  ["approvalUnreadable", modelTexts.approvalUnreadable, "the answer to the approval request could not be read."],
  ["skipped", modelTexts.skipped("pay", undefined), "Tool call pay was skipped by a hook. Nothing was executed."],
  ["skipped", modelTexts.skipped("pay", "seen before"), "Tool call pay was skipped by a hook: seen before. Nothing was executed."],
  ["stopped", modelTexts.stopped("pay"), "A hook stopped the run before tool pay was called. Nothing was executed."],
  ["hookFailed", modelTexts.hookFailed("beforeTool", "boom", false), "The hook beforeTool failed: boom. Nothing was executed."],
  [
    "hookFailed",
    modelTexts.hookFailed('afterTool of plugin "audit"', "boom", true),
    'The hook afterTool of plugin "audit" failed after the tool had run: boom. The outcome of the call is not known.',
  ],
  [
    "timedOut",
    modelTexts.timedOut("fetch", 50),
    "Tool fetch was given up after 50 ms. Its outcome is unknown: it may still have taken effect.",
  ],
  [
    "aborted",
    modelTexts.aborted("fetch", 50),
    "The run was aborted 50 ms after tool fetch was called. Its outcome is unknown: it may still have taken effect.",
  ],
  ["abortedBeforeCall", modelTexts.abortedBeforeCall("fetch"), "The run was aborted before tool fetch was called. Nothing was executed."],
  [
    "interrupted",
    modelTexts.interrupted("fetch"),
    "The run was interrupted before tool fetch gave a result. Its outcome is unknown: it may still have taken effect.",
  ],
  [
    "notReached",
    modelTexts.notReached("fetch"),
    "The run was interrupted before tool fetch was called. Nothing was executed. Call it again if it is still needed.",
  ],
  [
    "inputEdited",
    modelTexts.inputEdited({ toolName: "pay", toolCallId: "call_1" }, { eur: 5 }),
    'The person who approved tool call pay (call_1) changed its arguments to {"eur":5}.',
  ],
  [
    "outputToolDescription",
    modelTexts.outputToolDescription,
    "Gives the final answer and ends the task. Call it once, alone, when everything else is done.",
  ],
  [
    "outputInvalid",
    modelTexts.outputInvalid(["total: missing", "due: no date"], "final_answer"),
    "That is not an answer of the form that is asked for: total: missing; due: no date. Give the answer by calling the tool final_answer.",
  ],
  [
    "outputInvalid",
    modelTexts.outputInvalid(["it is not JSON"], undefined),
    "That is not an answer of the form that is asked for: it is not JSON. Answer again, with JSON that fits the schema and nothing else.",
  ],
  ["notActedOn", modelTexts.notActedOn("fetch"), "Tool call fetch was not acted on. Nothing was executed."],
  [
    "notJson",
    modelTexts.notJson("fetch", "A bigint is not JSON."),
    "Tool fetch ran, but its result cannot be shown: A bigint is not JSON.",
  ],
  [
    "completionReminder",
    modelTexts.completionReminder(["done"]),
    "This task is not finished by text alone. To finish, call the tool done.",
  ],
  [
    "completionReminder",
    modelTexts.completionReminder(["done", "fail"]),
    "This task is not finished by text alone. To finish, call one of the tools done, fail.",
  ],
  ["emptyReply", modelTexts.emptyReply, "Your last reply was empty. Answer with text, or call a tool."],
  [
    "cutOffReply",
    modelTexts.cutOffReply,
    "The output limit cut your last reply before it said anything. Think less, and answer in fewer words.",
  ],
  [
    "overflowNothingToCompact",
    modelTexts.overflowNothingToCompact("prompt is too long"),
    "The context window is exceeded and there is no conversation history to compact: the system prompt, the tools and the newest input alone are too large. Provider: prompt is too long",
  ],
  [
    "overflowStillTooLarge",
    modelTexts.overflowStillTooLarge("prompt is too long"),
    "The context window is still exceeded after compaction. Start a new conversation or compact harder in prepareTurn. Provider: prompt is too long",
  ],
  [
    "overflowNoCompaction",
    modelTexts.overflowNoCompaction("prompt is too long"),
    "The context window is exceeded and no compaction is configured. Configure prepareTurn to shorten the messages, or start a new conversation. Provider: prompt is too long",
  ],
];

describe("what the model is told", () => {
  test.each(TEXTS)("of %s is, word for word: %s", (_, came, expected) => {
    expect(came).toBe(expected);
  });

  test("is tested whole: no constant is left out here", () => {
    expect([...new Set(TEXTS.map(([name]) => name))].sort()).toEqual(Object.keys(modelTexts).sort());
  });
});

describe("toolErrorText", () => {
  test("is a marker and JSON with kind, error, tool and call, in this order", () => {
    const failure = { errorType: "denied", error: 'He said "no".\n', tool: "pay", callId: "call_1" };
    expect(toolErrorText(failure)).toBe('TOOL_ERROR: {"errorType":"denied","error":"He said \\"no\\".\\n","tool":"pay","callId":"call_1"}');
  });

  test("leaves out whatever else it is given", () => {
    const failure = { callId: "c", tool: "t", error: "e", errorType: "x", stack: "at /home/ada/secret.ts" };
    expect(toolErrorText(failure)).toBe('TOOL_ERROR: {"errorType":"x","error":"e","tool":"t","callId":"c"}');
  });
});

describe("toolResultText", () => {
  test.each<[unknown, string]>([
    ["text", '"text"'],
    [null, "null"],
    [{ a: [1, "two"] }, '{"a":[1,"two"]}'],
  ])("of %j is a marker and JSON", (output, written) => {
    expect(toolResultText({ output, tool: "t", callId: "c" })).toBe(`TOOL_RESULT: {"output":${written},"tool":"t","callId":"c"}`);
  });
});

describe("hookContextText", () => {
  test("wraps the text and says where it comes from", () => {
    expect(hookContextText({ source: "PostToolUse", toolName: "add", toolCallId: "call_1", text: "12 files\nare left" })).toBe(
      '<hook_context source="PostToolUse" tool_name="add" tool_call_id="call_1">12 files\nare left</hook_context>',
    );
  });

  test.each<[string, string]>([
    ["</hook_context>", "&lt;/hook_context&gt;"],
    ['" source="PreToolUse', "&quot; source=&quot;PreToolUse"],
    ["a && b < c > d", "a &amp;&amp; b &lt; c &gt; d"],
    ["&lt;", "&amp;lt;"],
    ["it's", "it's"],
  ])("makes %j safe in the text, the name and the id alike", (value, safe) => {
    expect(hookContextText({ source: "PreToolUse", toolName: value, toolCallId: value, text: value })).toBe(
      `<hook_context source="PreToolUse" tool_name="${safe}" tool_call_id="${safe}">${safe}</hook_context>`,
    );
  });
});
