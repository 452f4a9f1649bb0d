import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Observed, observationText } from "../../src/runtimes/codeact/observation.js";
import { cases } from "../support/cases.ts";

const CUT = /… \[(\d+) more characters\]$/;
/** Room for the names of the fields, error type and place, and for two notes of what is gone. */
const FRAME = 220;

function read(text: string): { marker: string; fields: Record<string, unknown> } {
  const [, marker = "", json = ""] = /^(CODE_RESULT|CODE_ERROR): (.*)$/s.exec(text) ?? [];
  return { marker, fields: JSON.parse(json) as Record<string, unknown> };
}

const observe = (observed: Partial<Observed>, maxChars = 200) => observationText({ logs: "", notices: [], ...observed }, maxChars);
const guestError = (error: string) => ({ errorType: "guest-error", error, line: 1, column: 2 });

describe("an observation", () => {
  test.each<[string, Partial<Observed>, string]>([
    ["a result", { result: { a: [1, null] } }, 'CODE_RESULT: {"result":{"a":[1,null]}}'],
    ["a result that says nothing", { result: null }, 'CODE_RESULT: {"result":null}'],
    ["nothing", {}, "CODE_RESULT: {}"],
    ["logs alone", { logs: "a\nb" }, 'CODE_RESULT: {"logs":"a\\nb"}'],
    ["everything", { result: 1, logs: "a", notices: ["N."] }, 'CODE_RESULT: {"result":1,"logs":"a","notices":["N."]}'],
    [
      "an error, with logs",
      { error: guestError("no"), logs: "a" },
      'CODE_ERROR: {"errorType":"guest-error","error":"no","line":1,"column":2,"logs":"a"}',
    ],
  ])("tells %s", (_, observed, expected) => expect(observe(observed)).toBe(expected));

  test.each<[string, number, number]>([
    ["logs may take what a small result leaves", 3, 1_000],
    ["logs take no more than half", 1_000, 1_000],
  ])("%s", (_, resultChars, logChars) => {
    const { fields } = read(observe({ result: "r".repeat(resultChars), logs: "l".repeat(logChars) }));
    const { result, resultText = result, logs } = fields as { result: string; resultText: string; logs: string };
    const [kept, shown] = [resultText.replace(CUT, "").length, logs.replace(CUT, "").length];
    expect([kept, shown]).toEqual(resultChars < 100 ? [3, 195] : [100, 100]);
  });

  test("of a result that is cut is its text, and says how much is gone", () => {
    expect(read(observe({ result: { text: "x".repeat(300) } })).fields).toEqual({
      resultText: `{"text":"${"x".repeat(188)}… [114 more characters]`,
    });
  });

  test("cuts no character in two", () => {
    for (const room of [100, 101]) {
      const { resultText, logs } = read(observe({ result: "😀".repeat(200), logs: "😀".repeat(200) }, room * 2)).fields;
      expect(`${resultText}${logs}`.isWellFormed()).toBe(true);
    }
  });

  test("cuts notices that list very much", () => {
    const whole = observationText({ result: 1, logs: "", notices: ["short", "n".repeat(1_200)] }, 100);
    expect(read(whole).fields["notices"]).toEqual(["short", `${"n".repeat(1_000)}… [200 more characters]`]);
  });

  const piece = fc.oneof(
    fc.string({ maxLength: 600, unit: "binary" }),
    fc.tuple(fc.constantFrom("\u0001", '"', "\n", "😀", "\ud83d", "x"), fc.nat(400)).map(([char, count]) => char.repeat(count)),
  );
  const text = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(""));
  const observed = fc.record({
    result: fc.option(fc.oneof(text, fc.array(text, { maxLength: 3 })), { nil: undefined }),
    error: fc.option(text, { nil: undefined }),
    logs: text,
  });

  test("is JSON, within its limit, and keeps room for the result or the error", () => {
    fc.assert(
      fc.property(observed, fc.integer({ min: 100, max: 800 }), ({ result, error, logs }, maxChars) => {
        const given = { result, logs, notices: [], ...(error === undefined ? undefined : { error: guestError(error) }) };
        const whole = observationText(given, maxChars);
        expect(whole.length).toBeLessThanOrEqual(maxChars + FRAME);
        expect(whole.isWellFormed()).toBe(true);
        const { marker, fields } = read(whole);
        expect(marker).toBe(error === undefined ? "CODE_RESULT" : "CODE_ERROR");
        const subject = error ?? (result === undefined ? undefined : typeof result === "string" ? result : JSON.stringify(result));
        if (subject === undefined) return;
        const told = String(
          error === undefined
            ? (fields["resultText"] ?? (typeof result === "string" ? fields["result"] : JSON.stringify(fields["result"])))
            : fields["error"],
        );
        const kept = told === subject ? told : told.replace(CUT, "");
        expect(subject.startsWith(kept)).toBe(true);
        // What was cut had half of the room, but for one character that did not fit.
        if (kept !== subject) expect(JSON.stringify(kept).length).toBeGreaterThan(maxChars / 2 - 12);
      }),
      cases(20),
    );
  });
});
