import { codeActTexts } from "triact";
import { describe, expect, test } from "vitest";
import { observationText } from "../../src/runtimes/codeact/observation.js";

const FORMS = '{"type":"code","language":"javascript","code":"…"} or {"type":"final","output":"…"}';

const texts: readonly (readonly [name: keyof typeof codeActTexts, text: string, expected: string])[] = [
  [
    "unreadable",
    codeActTexts.unreadable("it is empty"),
    `Your reply could not be read: it is empty. Nothing was run. Reply with one JSON object and nothing else: ${FORMS}.`,
  ],
  [
    "unknownLanguage",
    codeActTexts.unknownLanguage("ruby", ["javascript", "typescript"]),
    'its language is "ruby", and the sandbox knows javascript, typescript',
  ],
  ["cutOff", codeActTexts.cutOff, "the output limit cut it. Send less at once"],
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
  ["result", codeActTexts.result({ result: 1 }), 'CODE_RESULT: {"result":1}'],
  ["error", codeActTexts.error({ error: "boom" }), 'CODE_ERROR: {"error":"boom"}'],
  [
    "interrupted",
    codeActTexts.interrupted,
    "The process ended while this code ran. Calls that it had made may have taken effect; the variables of earlier code are gone. Look at the state of things before you repeat anything.",
  ],
  ["noTool", codeActTexts.noTool("x"), "There is no function named x. Look for one with searchTools."],
  ["earlierCall", codeActTexts.earlierCall({ toolName: "add", input: { a: 1 } }), 'TOOL_CALL: {"tool":"add","input":{"a":1}}'],
];

describe("what CodeAct tells the model", () => {
  test.each(texts)("of %s is, word for word: %s", (_, text, expected) => {
    expect(text).toBe(expected);
  });

  test("of the protocol is, word for word", () => {
    const text = codeActTexts.protocol({ languages: ["javascript"], finish: "summary", guide: "GUIDE", persistent: true });
    expect(text).toBe(`You act by writing code. Every reply of yours is one JSON object and nothing else, of one of these two forms:
{"type":"code","language":"javascript","code":"…"}
{"type":"final","output":"…"}

The code runs in a sandbox without files and network. Languages: javascript. Top-level \`await\` and \`return\` are allowed, \`import\` and \`require\` are not. Variables, functions and classes stay for your next code. Do as much as you can in one piece of code: loops, conditions, several calls, \`Promise.all\`.

These functions do what you cannot do yourself. They are async, take one object, and throw an error that you can catch:
GUIDE

When code has run well you get CODE_RESULT. Answer then with a final message that says what was found. Do all the work in that one piece of code; more code after a success is not run.`);
  });

  test.each([
    ["value", "To answer, `return` the answer from your code"],
    ["model", "end with a final message."],
  ] as const)("of the end by %s says how", (finish, words) => {
    expect(codeActTexts.protocol({ languages: ["javascript"], finish, guide: "", persistent: false })).toContain(words);
  });

  test("is tested whole: no constant is left out here", () => {
    expect([...texts.map(([name]) => name), "protocol"].sort()).toEqual(Object.keys(codeActTexts).sort());
  });
});

describe("an observation", () => {
  const observe = (observed: Partial<Parameters<typeof observationText>[0]>, maxChars = 1_000) =>
    observationText({ logs: "", notices: [], ...observed }, maxChars);

  test("is the result, logs and notices as JSON", () => {
    expect(observe({ result: { n: [1] }, logs: "a\nb", notices: ["A promise was not awaited."] })).toBe(
      'CODE_RESULT: {"result":{"n":[1]},"logs":"a\\nb","notices":["A promise was not awaited."]}',
    );
    expect(observe({})).toBe("CODE_RESULT: {}");
    expect(observe({ result: null })).toBe('CODE_RESULT: {"result":null}');
  });

  // R80
  test("keeps the result when the logs are a flood, and says how much is gone", () => {
    const text = observe({ result: "the small result", logs: "x".repeat(10_000) });
    const { result, logs } = JSON.parse(text.slice("CODE_RESULT: ".length)) as { result: string; logs: string };
    expect(result).toBe("the small result");
    expect(logs).toMatch(/^x{900,}… \[\d+ more characters\]$/);
    expect(text.length).toBeLessThan(1_100);
  });

  test("keeps logs when the result is a flood, which is shown as the beginning of its text", () => {
    const text = observe({ result: "y".repeat(10_000), logs: "before" });
    const { resultText, logs } = JSON.parse(text.slice("CODE_RESULT: ".length)) as { resultText: string; logs: string };
    expect(logs).toBe("before");
    expect(resultText).toMatch(/^"y{900,}… \[\d+ more characters\]$/);
  });

  test("gives result and logs half of the room each when both are floods", () => {
    const text = observe({ error: { errorType: "guest-error", error: "e".repeat(5_000), line: 3 }, logs: "l".repeat(5_000) });
    const { error, logs, line } = JSON.parse(text.slice("CODE_ERROR: ".length)) as { error: string; logs: string; line: number };
    expect([error.match(/^e+/)?.[0]?.length, logs.match(/^l+/)?.[0]?.length, line]).toEqual([expect.any(Number), 500, 3]);
    expect(error.match(/^e+/)?.[0]?.length).toBeGreaterThan(450);
  });

  test("does not split a character", () => {
    for (let room = 100; room < 110; room++) expect(observe({ logs: "😀".repeat(500) }, room).isWellFormed()).toBe(true);
  });
});
