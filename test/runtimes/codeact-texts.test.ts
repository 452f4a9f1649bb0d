import { codeActTexts } from "triact";
import { describe, expect, test } from "vitest";
import { SEARCH_DECLARATIONS } from "../../src/runtimes/codeact/tool-guide.js";

const FORMS =
  'Reply with one JSON object and nothing else: {"type":"code","language":"javascript","code":"…"} or {"type":"final","output":"…"}.';

const PROTOCOL = `You act by writing code. Every reply of yours is one JSON object and nothing else, of one of these two forms:
{"type":"code","language":"typescript","code":"…"}
{"type":"final","output":"…"}

The code runs in a sandbox without files and network. Languages: typescript, javascript. Top-level \`await\` and \`return\` are allowed, \`import\` and \`require\` are not. Variables, functions and classes stay for your next code. Do as much as you can in one piece of code: loops, conditions, several calls, \`Promise.all\`.

These functions do what you cannot do yourself. They are async, take one object, and throw an error that you can catch:
GUIDE

`;

const VALUE =
  "To answer, `return` the answer from your code: that ends the task, and you will not see it again. To look at something first, log it or let it be the last expression, without `return`: then you get it back as CODE_RESULT and go on with more code. A final message ends the task, too.";
const SUMMARY =
  "When code has run well you get CODE_RESULT. Answer then with a final message that says what was found. Do all the work in that one piece of code; more code after a success is not run.";
const MODEL = "After each piece of code you get CODE_RESULT or CODE_ERROR. Write as many pieces as you need, and end with a final message.";

const options = { languages: ["typescript", "javascript"], guide: "GUIDE", persistent: true } as const;
const fresh = PROTOCOL.replace("Variables, functions and classes stay", "Nothing stays");

/** Every text, by the name of its constant. A text that is missing here fails the last test. */
const TEXTS: readonly (readonly [keyof typeof codeActTexts, string, string])[] = [
  ["protocol", codeActTexts.protocol({ ...options, finish: "value" }), PROTOCOL + VALUE],
  ["protocol", codeActTexts.protocol({ ...options, finish: "summary" }), PROTOCOL + SUMMARY],
  ["protocol", codeActTexts.protocol({ ...options, finish: "model" }), PROTOCOL + MODEL],
  ["protocol", codeActTexts.protocol({ ...options, finish: "model", persistent: false }), fresh + MODEL],
  [
    "protocol",
    codeActTexts.protocol({ ...options, finish: "model", answerType: "{ total: number }" }),
    `${PROTOCOL}${MODEL}\n\nThe answer has to be of this type:\n\`\`\`ts\n{ total: number }\n\`\`\``,
  ],
  ["unreadable", codeActTexts.unreadable("it is empty"), `Your reply could not be read: it is empty. Nothing was run. ${FORMS}`],
  [
    "unreadable",
    codeActTexts.unreadable("it is empty", "typescript"),
    `Your reply could not be read: it is empty. Nothing was run. ${FORMS.replace("javascript", "typescript")}`,
  ],
  [
    "unknownLanguage",
    codeActTexts.unknownLanguage('py"', ["javascript", "typescript"]),
    'its language is "py\\"", and the sandbox knows javascript, typescript',
  ],
  ["cutOff", codeActTexts.cutOff, "the output limit cut it. Send less at once"],
  ["manyMessages", codeActTexts.manyMessages(3), "it holds 3 messages, and one is allowed"],
  [
    "nativeCall",
    codeActTexts.nativeCall("add"),
    "it calls the tool add, and there are no tools to be called so. Call add as a function in your code",
  ],
  [
    "finalize",
    codeActTexts.finalize,
    "FINALIZE: the code has run, and no more code is run. Answer with a final message from the latest CODE_RESULT.",
  ],
  ["result", codeActTexts.result({ result: [1, "a"], logs: "b" }), 'CODE_RESULT: {"result":[1,"a"],"logs":"b"}'],
  ["result", codeActTexts.result({}), "CODE_RESULT: {}"],
  [
    "error",
    codeActTexts.error({ errorType: "guest-error", error: "TypeError: no", line: 2, column: 7 }),
    'CODE_ERROR: {"errorType":"guest-error","error":"TypeError: no","line":2,"column":7}',
  ],
  [
    "interrupted",
    codeActTexts.interrupted,
    "The process ended while this code ran. Calls that it had made may have taken effect; the variables of earlier code are gone. Look at the state of things before you repeat anything.",
  ],
  [
    "brokenJson",
    codeActTexts.brokenJson("it stops before its end"),
    'its message is no JSON: it stops before its end. In strings, write \\" for " and \\n for a line break',
  ],
  ["noSandbox", codeActTexts.noSandbox, "The sandbox cannot run code."],
  ["stopped", codeActTexts.stopped, "A hook stopped the run, and the code before its end. Calls that it had made may have taken effect."],
  [
    "notMade",
    codeActTexts.notMade(["pay", "mail", "pay"]),
    "Calls that waited for an approval when the code was stopped were not made: pay, mail.",
  ],
  ["noTool", codeActTexts.noTool("sub"), "There is no function named sub. Look for one with searchTools."],
  ["earlierCall", codeActTexts.earlierCall({ toolName: "add", input: { a: 1 } }), 'TOOL_CALL: {"tool":"add","input":{"a":1}}'],
];

describe("what CodeAct tells the model", () => {
  test.each(TEXTS)("of %s is, word for word: %s", (_, came, expected) => {
    expect(came).toBe(expected);
  });

  test("of searching is valid TypeScript, word for word", () => {
    expect(SEARCH_DECLARATIONS).toBe(`/** Finds functions by words of their names and descriptions, the best first. */
declare function searchTools(query: string): Promise<{ name: string; description: string }[]>;
/** The TypeScript declaration of a function. Read it before you call the function. */
declare function describeTool(name: string): Promise<string>;`);
  });

  test("is tested whole: no constant is left out here", () => {
    expect([...new Set(TEXTS.map(([name]) => name))].sort()).toEqual(Object.keys(codeActTexts).sort());
  });
});
