/** What CodeAct tells the model. All of it stands here, to be read in one go and tested word for word. */

/** How a run of CodeAct ends. */
export type CodeActFinish = "value" | "summary" | "model";

/** The sentences that tell how a run ends. */
export const codeActEndings: Readonly<Record<CodeActFinish, string>> = {
  value:
    "To answer, `return` the answer from your code: that ends the task, and you will not see it again. To look at something first, log it or let it be the last expression, without `return`: then you get it back as CODE_RESULT and go on with more code. A final message ends the task, too.",
  summary:
    "When code has run well you get CODE_RESULT. Answer then with a final message that says what was found. Do all the work in that one piece of code; more code after a success is not run.",
  model: "After each piece of code you get CODE_RESULT or CODE_ERROR. Write as many pieces as you need, and end with a final message.",
};

/** What differs where the code is Python. */
const PYTHON_VALUE_ENDING =
  "To answer, set `__codeact_result` to the answer in your code: that ends the task, and you will not see it again. To look at something first, print it or let it be the last expression: then you get it back as CODE_RESULT and go on with more code. A final message ends the task, too.";

interface LanguageRules {
  readonly rules: string;
  readonly together: string;
  readonly functions: string;
}

const JAVASCRIPT_RULES: LanguageRules = {
  rules: "Top-level `await` and `return` are allowed, `import` and `require` are not.",
  together: "Promise.all",
  functions: "They are async, take one object, and throw an error that you can catch:",
};

const PYTHON_RULES: LanguageRules = {
  rules: "Top-level `await` is allowed. Python's standard library can be imported; there are no other packages.",
  together: "asyncio.gather",
  functions:
    "They are async, take keyword arguments or one dict, for example `await name(key=value)`, and raise a `ToolError` that you can catch:",
};

/** Kinds of text that CodeAct writes. */
export const codeActTexts = {
  /** The protocol, for the system prompt. */
  protocol: ({
    languages,
    finish,
    guide,
    persistent,
    answerType,
    fence = "ts",
  }: {
    languages: readonly string[];
    finish: CodeActFinish;
    guide: string;
    persistent: boolean;
    /** The type of the answer, where it has a form. */
    answerType?: string | undefined;
    /** The language in which functions and types are written. @default "ts" */
    fence?: string;
  }): string => {
    const isPython = fence === "python";
    const { rules, together, functions } = isPython ? PYTHON_RULES : JAVASCRIPT_RULES;
    const ending = isPython && finish === "value" ? PYTHON_VALUE_ENDING : codeActEndings[finish];
    return `You act by writing code. Every reply of yours is one JSON object and nothing else, of one of these two forms:
{"type":"code","language":"${languages[0] ?? "javascript"}","code":"…"}
{"type":"final","output":"…"}

The code runs in a sandbox without files and network. Languages: ${languages.join(", ")}. ${rules} ${persistent ? "Variables, functions and classes stay for your next code." : "Nothing stays for your next code."} Do as much as you can in one piece of code: loops, conditions, several calls, \`${together}\`.

These functions do what you cannot do yourself. ${functions}
${guide}

${ending}${answerType === undefined ? "" : `\n\nThe answer has to be of this type:\n\`\`\`${fence}\n${answerType}\n\`\`\``}`;
  },

  unreadable: (problem: string, language = "javascript"): string =>
    `Your reply could not be read: ${problem}. Nothing was run. Reply with one JSON object and nothing else: {"type":"code","language":"${language}","code":"…"} or {"type":"final","output":"…"}.`,

  unknownLanguage: (language: string, languages: readonly string[]): string =>
    `its language is ${JSON.stringify(language)}, and the sandbox knows ${languages.join(", ")}`,

  cutOff: "the output limit cut it. Send less at once",

  brokenJson: (problem: string): string => `its message is no JSON: ${problem}. In strings, write \\" for " and \\n for a line break`,

  manyMessages: (count: number): string => `it holds ${count} messages, and one is allowed`,

  nativeCall: (toolName: string): string =>
    `it calls the tool ${toolName}, and there are no tools to be called so. Call ${toolName} as a function in your code`,

  finalize: "FINALIZE: the code has run, and no more code is run. Answer with a final message from the latest CODE_RESULT.",

  result: (result: { readonly [field: string]: unknown }): string => `CODE_RESULT: ${JSON.stringify(result)}`,

  error: (error: { readonly [field: string]: unknown }): string => `CODE_ERROR: ${JSON.stringify(error)}`,

  interrupted:
    "The process ended while this code ran. Calls that it had made may have taken effect; the variables of earlier code are gone. Look at the state of things before you repeat anything.",

  noSandbox: "The sandbox cannot run code.",

  stopped: "A hook stopped the run, and the code before its end. Calls that it had made may have taken effect.",

  notMade: (names: readonly string[]): string =>
    `Calls that waited for an approval when the code was stopped were not made: ${[...new Set(names)].join(", ")}.`,

  noTool: (name: string): string => `There is no function named ${name}. Look for one with searchTools.`,

  /** A native call of an earlier turn, for a model that makes none. */
  earlierCall: ({ toolName, input }: { toolName: string; input: unknown }): string =>
    `TOOL_CALL: ${JSON.stringify({ tool: toolName, input })}`,
} as const;
