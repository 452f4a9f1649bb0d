import type { ContractPrograms } from "./contract-programs.js";
import type { ContractCase } from "./executor-contract.js";

const failed = (error: object) => ({ status: "failed", error });
const short = { limits: { timeoutMs: 700 } };

/** Code that would never end, or would be too much. */
export const limitCases = (programs: ContractPrograms): readonly ContractCase[] => [
  {
    name: "a loop that does not end is stopped",
    code: programs.endlessLoop,
    options: { limits: { cpuMs: 100 } },
    expected: { ...failed({ code: "cpu" }), logs: [{ level: "log", text: "a" }] },
  },
  {
    name: "a loop after a call is stopped",
    code: programs.loopAfterCall,
    options: { limits: { cpuMs: 100 } },
    expected: failed({ code: "cpu" }),
  },
  {
    name: "a loop of awaits is stopped",
    code: programs.loopOfAwaits,
    options: { limits: { cpuMs: 100 } },
    expected: failed({ code: "cpu" }),
  },
  {
    name: "a promise that is never settled is given up",
    code: programs.waitForNothing,
    options: short,
    expected: { ...failed({ code: "time" }), logs: [{ level: "log", text: "a" }] },
  },
  {
    name: "a tool that never answers is named",
    code: programs.waitFor("never"),
    options: short,
    expected: failed({
      code: "time",
      message:
        "The code ran for more than 700 ms and was stopped. It was waiting for never, of which it is not known whether they did their work.",
    }),
  },
  {
    name: "one call too many is an error in the code",
    code: programs.fourCalls,
    options: { limits: { maxToolCalls: 3 } },
    expected: { ...failed({ code: "too-many-calls" }), toolCallCount: 3 },
  },
  {
    name: "code that is too large is not run",
    code: `${programs.one}     `,
    options: { limits: { maxCodeChars: 4 } },
    expected: failed({ code: "code-too-large" }),
  },
  {
    name: "an argument that is too large is an error in the code",
    code: programs.messageOfEcho,
    options: { limits: { maxInputChars: 50 } },
    expected: { result: "The argument of echo cannot be sent: the value is too large (more than 50 characters)." },
  },
  {
    name: "a tool's result that is too large is an error in the code",
    code: programs.nameOfEcho,
    options: { limits: { maxToolResultChars: 50 } },
    expected: { result: "ToolError" },
  },
  {
    name: "a result that is too large is an error",
    code: programs.largeResult,
    options: { limits: { maxResultChars: 50 } },
    expected: failed({
      code: "result-too-large",
      message:
        "The result cannot be returned: the value is too large at value[0]. Return less, for example a count, the first items or a summary.",
    }),
  },
  {
    name: "a result that is too deep is an error",
    code: programs.deepResult,
    expected: failed({ code: "result-too-large" }),
  },
  {
    name: "an argument that is too deep is an error in the code",
    code: programs.deepInput,
    expected: failed({ name: "TypeError" }),
  },
  {
    name: "a long log entry is cut and says so",
    code: programs.longLog,
    options: { limits: { maxLogEntryChars: 10 } },
    expected: { result: 1, logs: [{ level: "log", text: "xxxxxxxxxx… [10 more characters]" }] },
  },
  {
    name: "a cut keeps code points whole",
    code: programs.emojiLog,
    options: { limits: { maxLogEntryChars: 3 } },
    expected: { logs: [{ level: "log", text: "😀… [4 more characters]" }] },
  },
  {
    name: "a flood of logs leaves the result alone",
    code: programs.manyLogs,
    options: { limits: { maxLogChars: 22 } },
    expected: {
      result: 7,
      logs: [{ text: "0123456789" }, { text: "0123456789" }, { level: "warn", text: "… [9980 more characters of log left out]" }],
    },
  },
  {
    name: "a loop of logs is stopped, and its log returned",
    code: programs.endlessLogs,
    options: { limits: { cpuMs: 100, maxLogChars: 2 } },
    expected: { ...failed({ code: "cpu" }), logs: [{ text: "a" }, { text: "… [more of log left out]" }] },
  },
];
