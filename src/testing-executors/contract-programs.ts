import type { ContractCase } from "./executor-contract.js";

/** What the contract runs in one language, so that it can be run in others. */
export interface ContractLanguage {
  /** The name of the language, as an executor knows it. */
  readonly language: string;
  /** What only this language has: its values, its errors, its ways to write. */
  readonly cases: readonly ContractCase[];
  readonly programs: ContractPrograms;
}

/** Code in one language, by what it does. The tools are {@link contractTools}, or those of the test. */
export interface ContractPrograms {
  /** Gives 1. */
  readonly one: string;
  /** Logs `a`, then computes for ever. */
  readonly endlessLoop: string;
  /** Calls `add`, then computes for ever. */
  readonly loopAfterCall: string;
  /** Waits for nothing, over and over. */
  readonly loopOfAwaits: string;
  /** Logs `a`, then waits for what never comes. */
  readonly waitForNothing: string;
  /** Logs `a`, over and over. */
  readonly endlessLogs: string;
  /** Waits for the tool of this name, called without an argument. */
  readonly waitFor: (toolName: string) => string;
  /** Calls `echo` four times. */
  readonly fourCalls: string;
  /** Calls `echo` with the letter x a hundred times, and gives the message of the error that it catches. */
  readonly messageOfEcho: string;
  /** The same, and gives the name of the error. */
  readonly nameOfEcho: string;
  /** Gives a list that holds the letter x a hundred times. */
  readonly largeResult: string;
  /** Gives lists in each other, 2000 levels deep. */
  readonly deepResult: string;
  /** Calls `echo` with them. */
  readonly deepInput: string;
  /** Logs the letter x twenty times, and gives 1. */
  readonly longLog: string;
  /** Logs 😀 three times, in one entry. */
  readonly emojiLog: string;
  /** Logs `0123456789` a thousand times, and gives 7. */
  readonly manyLogs: string;
  /** Adds 1, 2 and 3 to 2 by `add`, called in the three ways that there are, and gives [3, 4, 5]. */
  readonly threeWays: string;
  /** Awaits an expression and gives, of the error that it raises: name, message, true, and whether its trace shows something of the host. */
  readonly caught: (expression: string) => string;
  /** Calls the tool `nothing`, which is not there, by its name as a text. An expression. */
  readonly unknownTool: string;
  /** Gives what `echo` gives for `{ a: [1, { "b c": the start of 1970 }] }`, with the time as the language has it. */
  readonly echoedTime: string;
  /** Expressions that call `echo` with what JSON has no form for, and what the error says after "The argument of echo cannot be sent ". */
  readonly refusedInputs: readonly (readonly [expression: string, problem: string])[];
  /** An expression that calls `echo` with too many arguments, and the message of its error. */
  readonly tooManyArguments: readonly [expression: string, message: string];
  /** Calls `look` with `{ "__proto__": { bad: 1 }, constructor: { prototype: {} }, b: 1 }`; gives true, the keys of what it got, and true. */
  readonly prototypeKeys: string;
  /** Calls `work` twenty times at once, and waits for all. */
  readonly parallelCalls: string;
  /** Logs `a` and awaits `finish`; whatever comes of it, calls `reach`. */
  readonly finishThenReach: string;
  /** Awaits `slow` and `finish` at once. */
  readonly slowAndFinish: string;
  /** Breaks what it can of the language's built-in functions, and returns what `add` gives for 1 and 2. */
  readonly brokenBuiltIns: string;
  /** Each tries to put something else in the place of the tool `add`, and gives what `add` gives for 1 and 1. */
  readonly replacedTools: readonly string[];
  /** Steps of one session that declare and declare again, each with what it gives. */
  readonly sessionSteps: readonly (readonly [code: string, result: unknown])[];
  /** Sets `a` to 1, then raises an error. */
  readonly setThenFail: string;
  /** Sets `a` to 1. */
  readonly setA: string;
  /** Gives `a`. */
  readonly readA: string;
  /** Gives "undefined" if there is no `a`. */
  readonly typeOfA: string;
  /** Leaves traces wherever it can outside of its own variables. */
  readonly leaveTraces: string;
  /** Gives "undefined" for each trace that is not there. */
  readonly findTraces: readonly [code: string, result: unknown];
  /** Gives 1, and leaves work under way that fails, and a timer that would set `late`. */
  readonly leaveWork: string;
  /** Waits for 5 ms, and gives "undefined" if there is no `late`. */
  readonly typeOfLate: string;
  /** Gives 1, and leaves work that never rests. */
  readonly restless: string;
  /** Gives the time as an ISO text with milliseconds, whether it is after one day of 1970, two numbers of chance, "number", and 5. */
  readonly timeAndChance: string;
  /** Looks at the clock until half a second has gone, and gives 1. */
  readonly waitForClock: string;
  /** Lets 2 be noted after 20 ms, 1 after 1 ms, and 3 after 2 ms, which it calls off; gives what was noted after 40 ms. */
  readonly timers: string;
  /**
   * At once: calls `step` with `{ n: 1 }`, `ask` with chance, and `step` with `{ n: 2 }` and after that with what it gave and chance. Gives the three answers as `a`, `answer`
   * and `b`, and as `last` what `step` gives for the time and chance.
   */
  readonly stepsAndQuestion: string;
  /** Calls `echo` with `{ [name]: value }` for each of these, one after the other. */
  readonly echoes: (...inputs: readonly (readonly [name: string, value: number])[]) => string;
}
