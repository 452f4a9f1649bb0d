import { codeActTexts } from "triact";
import { describe, expect, test } from "vitest";
import { type CodeReply, readCodeReply } from "../../src/runtimes/codeact/code-reply.js";

const CODE: CodeReply = { kind: "code", language: "js", code: "return 1" };
const FINAL: CodeReply = { kind: "final", output: "done" };
const code = '{"type":"code","language":"js","code":"return 1"}';
const final = '{"type":"final","output":"done"}';
const broken = (problem: string) => codeActTexts.brokenJson(problem);
const unreadable = (problem: string): CodeReply => ({ kind: "unreadable", problem });

describe("a reply in the protocol", () => {
  test.each<[string, string, CodeReply]>([
    ["a code message", code, CODE],
    ["a final message", final, FINAL],
    ["white space around it", `\n  ${code}\n`, CODE],
    ["pretty-printed JSON", JSON.stringify(JSON.parse(code), undefined, 2), CODE],
    ["no language", '{"type":"code","code":"return 1"}', { kind: "code", language: undefined, code: "return 1" }],
    ["an empty language", '{"type":"code","language":"","code":"return 1"}', { kind: "code", language: undefined, code: "return 1" }],
    ["null as output", '{"type":"final","output":null}', { kind: "final", output: null }],
    ["zero as output", '{"type":"final","output":0}', { kind: "final", output: 0 }],
    ["false as output", '{"type":"final","output":false}', { kind: "final", output: false }],
    ["an object as output", '{"type":"final","output":{"a":[1]}}', { kind: "final", output: { a: [1] } }],
    ["fields that nobody asked for", '{"type":"final","output":"done","confidence":1,"code":null}', FINAL],
    // R64
    ["a stray closing tag behind it", `${code}</code>`, CODE],
    ["a stray fence behind it", `${code}\n\`\`\``, CODE],
    ["a fence around it", `\`\`\`json\n${code}\n\`\`\``, CODE],
    ["a fence without a language around it", `\`\`\`\n${final}\n\`\`\``, FINAL],
    ["a fence around the code", JSON.stringify({ type: "code", language: "js", code: "```js\nreturn 1\n```" }), CODE],
    [
      "a fence inside of the code",
      JSON.stringify({ type: "code", code: 'log("```js")\nreturn 1' }),
      { kind: "code", language: undefined, code: 'log("```js")\nreturn 1' },
    ],
    // R66
    ["prose around it", `I will look.\n${code}\nThat should do.`, CODE],
    ["braces in thoughts before it", `<think>maybe {x} or {"a": 1}</think>{"note":1}${code} {done}`, CODE],
    [
      "closing braces in the strings of its code",
      JSON.stringify({ type: "code", language: "js", code: 'const a = "}"; return {a}' }).replace(/^/, "So: "),
      { kind: "code", language: "js", code: 'const a = "}"; return {a}' },
    ],
    ["the same message twice", `${code}\n${code}`, CODE],
    ["a message in a list", `[${code}]`, CODE],
    ["a message in a string", JSON.stringify(code), CODE],
    // R67
    [
      "raw line breaks in its code",
      '{"type":"code","language":"js","code":"const a = 1;\n\treturn a;\r\n"}',
      { kind: "code", language: "js", code: "const a = 1;\n\treturn a;\r\n" },
    ],
    ["a raw NUL in its code", '{"type":"code","language":"js","code":"a\u0000b"}', { kind: "code", language: "js", code: "a\u0000b" }],
    [
      "an escape that is none",
      '{"type":"code","language":"js","code":"/\\d+\\s/.test(x)"}',
      { kind: "code", language: "js", code: "/\\d+\\s/.test(x)" },
    ],
    [
      "an escape that is one, besides",
      '{"type":"code","language":"js","code":"a\n\\"b\\"\\n\\\\d"}',
      { kind: "code", language: "js", code: 'a\n"b"\n\\d' },
    ],
    [
      "a Windows path",
      '{"type":"code","language":"js","code":"open(\\"C:\\Users\\\\x\\")"}',
      { kind: "code", language: "js", code: 'open("C:\\Users\\x")' },
    ],
    ["the protocol quoted in thoughts before it", `<think>I write {"type":"code","code":…} or ${code}</think>\n${final}`, FINAL],
    ["a block of code that explains it", `\`\`\`js\nreturn 1\n\`\`\`\nThat is\n${code}`, CODE],
    // a block of code instead of JSON
    ["a block of JavaScript", "Let me see.\n```js\nreturn 1\n```\n", CODE],
    ["a block of TypeScript", "```typescript\nreturn 1\n```", { kind: "code", language: "typescript", code: "return 1" }],
    ["a block of Python", "```Python\nprint(1)\n```", { kind: "code", language: "python", code: "print(1)" }],
    ["a block that is not closed", "```js\nreturn 1", CODE],
  ])("is read with %s", (_, text, reply) => {
    expect(readCodeReply(text)).toEqual(reply);
  });
});

describe("a reply that cannot be read says why", () => {
  test.each<[string, string, string]>([
    // R66
    ["code and final", `${code}\n${final}`, "it holds 2 messages, and one is allowed"],
    ["two different codes", `${code}{"type":"code","code":"return 2"}`, "it holds 2 messages, and one is allowed"],
    ["two blocks of code", "```js\na()\n```\nor\n```js\nb()\n```", "it holds 2 blocks of code, and one message is allowed"],
    // R70
    ["nothing", "", "it is empty"],
    ["white space", " \n", "it is empty"],
    ["prose", "The answer is 4.", "it is text without a JSON message"],
    ["markdown", "# Answer\n\n* 4\n* 5", "it is text without a JSON message"],
    ["a closing brace", "}", "it is text without a JSON message"],
    ["a final message, and a block of code", `Let me:\n\`\`\`js\nawait rm()\n\`\`\`\n${final}`, "it holds 2 messages, and one is allowed"],
    [
      "JSON that is cut off",
      '{"type":"code","code":"ret',
      broken('Unterminated string, behind "{\\"type\\":\\"code\\",\\"code\\":\\"ret"'),
    ],
    [
      "JSON that stops",
      '{"type":"code","code":"return 1"',
      broken('Expected \',\' or \'}\' after property value, behind "{\\"type\\":\\"code\\",\\"code\\":\\"return 1\\""'),
    ],
    [
      "quotes that are not escaped",
      '{"type":"code","code":"say("hi")"}',
      broken('Expected \',\' or \'}\' after property value, behind "{\\"type\\":\\"code\\",\\"code\\":\\"say(\\""'),
    ],
    [
      "an answer that quotes a message, which must not be run",
      '{"type":"final","output":"Use {"type":"code","code":"rm()"}."}',
      broken('Expected \',\' or \'}\' after property value, behind "{\\"type\\":\\"final\\",\\"output\\":\\"Use {\\""'),
    ],
    [
      "code that is broken, and an answer that cannot know its result",
      `{"type":"code","code":"say("hi")"}\n${final}`,
      broken('Expected \',\' or \'}\' after property value, behind "{\\"type\\":\\"code\\",\\"code\\":\\"say(\\""'),
    ],
    ["single quotes", "{'type':'final','output':1}", broken("Expected property name or '}', behind \"{\"")],
    ["another type", '{"type":"answer","output":1}', 'its "type" is "answer", and must be "code" or "final"'],
    ["no type", '{"output":1}', 'its "type" is missing, and must be "code" or "final"'],
    ["no code", '{"type":"code","language":"js"}', 'the code message has no "code"'],
    ["code that is no text", '{"type":"code","code":{"a":1}}', 'its "code" is no text'],
    ["empty code", '{"type":"code","code":" \\n"}', 'its "code" is empty'],
    ["a language that is no text", '{"type":"code","code":"1","language":7}', 'its "language" is no text'],
    ["no output", '{"type":"final"}', 'the final message has no "output"'],
    ["a number", "4", "it is JSON, but no object"],
    ["a list", "[1,2]", "it is JSON, but no object"],
    ["null", "null", "it is JSON, but no object"],
  ])("%s", (_, text, problem) => {
    expect(readCodeReply(text)).toEqual(unreadable(problem));
  });
});

test("an answer that is nested too deep to be used is refused in words", () => {
  const deep = `{"type":"final","output":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  const refused = unreadable(expect.stringMatching(/^its "output" cannot be used: The value is nested deeper than 1000 levels/));
  expect(readCodeReply(deep)).toEqual(refused);
  expect(readCodeReply(`So: ${deep}`)).toEqual(refused);
});

describe("a long reply is looked through in time that does not explode", () => {
  test.each<[string, string]>([
    ["many opening braces", "{".repeat(300_000)],
    ["objects that do not end", '{"a":'.repeat(60_000)],
    ["a message with one wrong quote", `{"type":"code","code":"${'f({ a: \\"b\\" }); '.repeat(20_000)} "x" "}`],
    ["braces around braces", `${"{a ".repeat(2_000)}${"x".repeat(300_000)}${"}".repeat(2_000)}`],
  ])("with %s", (_, text) => {
    const startedAt = performance.now();
    expect(readCodeReply(text).kind).toBe("unreadable");
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});
