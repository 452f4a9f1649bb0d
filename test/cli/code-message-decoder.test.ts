import fc from "fast-check";
import { expect, test } from "vitest";
import { CodeMessageDecoder, type DecodedPiece } from "../../src/cli/code-message-decoder.ts";

/** What comes out for a reply that comes in these pieces, neighbours of one kind joined. */
function decode(pieces: readonly string[]): DecodedPiece[] {
  const decoder = new CodeMessageDecoder();
  const all = [...pieces.flatMap((piece) => decoder.push(piece)), ...decoder.end()];
  const joined: DecodedPiece[] = [];
  for (const piece of all) {
    const last = joined.at(-1);
    if (last?.kind === piece.kind) joined.splice(-1, 1, { kind: piece.kind, text: last.text + piece.text });
    else joined.push(piece);
  }
  return joined;
}

const code = (text: string): DecodedPiece => ({ kind: "code", text });
const prose = (text: string): DecodedPiece => ({ kind: "prose", text });

test.for<[string, string, DecodedPiece[]]>([
  ["a code message", '{"type":"code","language":"javascript","code":"a;\\nb(\\"c\\")"}', [code('a;\nb("c")')]],
  ["code before its type", '{ "code" : "a", "type": "code" }', [code("a")]],
  ["a final message", '{"type":"final","output":"Hi\\t\\u00fc\\ud83d\\ude00"}', [{ kind: "output", text: "Hi\tü😀" }]],
  ["an output that is no text", '{"type":"final","output":{"code":["}",1]}}', []],
  ["a number and a word before the code", '{"type":"code","n":-1.5,"ok":true,"x":null,"code":"a"}', [code("a")]],
  ["a message in a fence", '```json\n{"type":"code","code":"a"}\n```', [code("a")]],
  ["prose before a fence", 'I look.\n```json\n{"type":"code","code":"a"}\n```\n', [prose("I look."), code("a")]],
  ["prose alone", "No JSON {here} at all", [prose("No JSON {here} at all")]],
  ["another object", '{"a": 1, "code": 2}', [prose('{"a": 1, "code": 2}')]],
  ["an empty object", "{} done", [prose("{} done")]],
  ["a fence without a message", "```js\na;\n```", [prose("```js\na;\n```")]],
  ["raw line breaks and wrong escapes", '{"code":"a\nb\\d\\u12"}', [code("a\nb\\d\\u12")]],
  ["a message that is cut", '{"type":"code","code":"a;\\', [code("a;")]],
  ["nothing", "", []],
])("%s is read whole and sign by sign", ([, text, expected]) => {
  expect(decode([text])).toEqual(expected);
  expect(decode([...text])).toEqual(expected);
});

test("the code comes out as it was, however the message is cut", () => {
  const reply = fc.record({ type: fc.constant("code"), language: fc.string(), code: fc.string({ unit: "binary", minLength: 1 }) });
  fc.assert(
    fc.property(reply, fc.array(fc.nat()), fc.boolean(), (message, cuts, pretty) => {
      const text = JSON.stringify(message, null, pretty ? 2 : 0);
      const places = [0, ...cuts.map((cut) => cut % text.length).sort((a, b) => a - b), text.length];
      const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
      expect(decode(pieces)).toEqual([code(message.code)]);
    }),
  );
});

test("whatever comes, nothing is thrown, and the cuts make no difference", () => {
  const signs = fc.array(fc.constantFrom("{", "}", '"', "\\", "u", "0", ",", ":", "`", "\n", " ", "code", "type", "[", "]", "x"));
  fc.assert(
    fc.property(signs, (parts) => {
      expect(decode(parts)).toEqual(decode([parts.join("")]));
    }),
  );
});

test("code is shown as it comes, not when the message is over", () => {
  const decoder = new CodeMessageDecoder();
  expect(decoder.push('{"type":"code","code":"const a')).toEqual([code("const a")]);
  expect(decoder.push(" = 1;\\n")).toEqual([code(" = 1;\n")]);
});
