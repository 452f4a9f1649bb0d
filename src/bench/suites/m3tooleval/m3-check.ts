import type { JsonValue } from "../../../base/json.js";
import { sameNumber, sameNumbers, unquoted } from "../../answers.js";
import type { M3Answer, M3Task } from "./m3-data.js";

/** Whether an answer is the expected one, by the tolerant checks of the data. A leading `Answer:`, as some questions have it in their example, is let through. */
export function m3Check({ check, expected: { value } }: Pick<M3Task, "check" | "expected">, answer: string): boolean {
  return matches(check, unquoted(answer).replace(/^answer:\s*/i, ""), value);
}

function matches(check: M3Answer, answer: string, value: JsonValue): boolean {
  switch (check.kind) {
    case "text":
      return unquoted(answer) === value;
    case "number":
      return sameNumber(answer, Number(value), check.abs_tol);
    case "number_list":
      return sameNumbers(answer, value as readonly number[], check.abs_tol);
    case "boolean":
      return unquoted(answer).replace(/\.$/, "").toLowerCase() === String(value);
    case "counts":
      return sameCounts(answer, value as Readonly<Record<string, number>>);
    case "pair_or_first": {
      const [first, second] = value as readonly [string, number];
      const parts = answer.replace(/^[[(]|[\])]$/g, "").split(",");
      if (parts.length > 2 || unquoted(parts[0] ?? "") !== first) return false;
      return parts[1] === undefined || sameNumber(parts[1], second);
    }
    default: {
      const unknown: never = check;
      throw new TypeError(`Unknown check ${JSON.stringify(unknown)}.`);
    }
  }
}

/** `{'A': 2}`, `{"A": 2}`, `A: 2, C: 1` or `A=2`; nothing else may stand there. */
function sameCounts(answer: string, expected: Readonly<Record<string, number>>): boolean {
  const pair = /['"]?([A-Za-z])['"]?\s*[:=]\s*(\d+)/g;
  if (answer.replace(pair, "").replace(/[{}\s,;]/g, "") !== "") return false;
  const found = [...answer.matchAll(pair)].map(([, letter, count]) => [letter as string, Number(count)] as const);
  const counts = Object.fromEntries(found);
  const letters = Object.keys(expected);
  return found.length === letters.length && letters.every((letter) => counts[letter] === expected[letter]);
}
