import type { AgentTool } from "../../base/tool.js";
import { inComment, schemaType } from "./schema-type.js";

/** A tool and the name of its function in code. */
export interface GuestFunction {
  readonly name: string;
  readonly tool: AgentTool;
}

/** How functions are told in one language. */
export interface GuideLanguage {
  /** Name of the language at a block of code. */
  readonly fence: string;
  /** Names that a function cannot have: words of the language, and what is there already. */
  readonly taken: ReadonlySet<string>;
  /** The declaration of one function. */
  readonly declarationOf: (each: GuestFunction) => string;
  /** A JSON Schema as a type. */
  readonly typeOf: (schema: unknown) => string;
  /** Declarations of the functions that look for tools that are not all told. */
  readonly searchDeclarations: string;
}

/** Names that a function in the sandbox cannot have: words of the languages, and what is there already. */
const TAKEN = new Set(
  `abstract arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if
  implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof undefined
  var void while with yield async of get set
  and as assert def del elif except from global is lambda nonlocal not or pass print raise None True False
  console tools callTool searchTools describeTool setTimeout clearTimeout performance globalThis constructor toString toLocaleString valueOf
  hasOwnProperty isPrototypeOf propertyIsEnumerable Infinity NaN isFinite isNaN parseFloat parseInt escape unescape decodeURI decodeURIComponent
  encodeURI encodeURIComponent Object Function Array Number Boolean String Symbol BigInt Date Promise RegExp Error AggregateError EvalError RangeError
  ReferenceError SyntaxError SuppressedError TypeError URIError Map Set WeakMap WeakSet WeakRef FinalizationRegistry Iterator AsyncIterator Proxy Reflect
  JSON Math Intl Atomics Temporal DisposableStack AsyncDisposableStack ArrayBuffer SharedArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray
  Int16Array Uint16Array Int32Array Uint32Array Float16Array Float32Array Float64Array BigInt64Array BigUint64Array WebAssembly`.split(
    /\s+/,
  ),
);

/**
 * The tools as functions, under names that code can use, in the order of the tools. A tool whose name code can use has it; another one gets a `_` more
 * until its name is free.
 */
export function guestFunctions(tools: readonly AgentTool[], { taken } = typescriptGuide): GuestFunction[] {
  const names = guestNames(
    tools.map(({ name }) => name),
    taken,
  );
  return tools.map((tool, index) => ({ name: names[index] as string, tool }));
}

/** The names in code of tools, in their order. */
export function guestNames(toolNames: readonly string[], taken: ReadonlySet<string> = TAKEN): string[] {
  const used = new Set(toolNames.filter((name) => isUsable(name, taken)));
  return toolNames.map((toolName) => {
    if (isUsable(toolName, taken)) return toolName;
    let name = toolName.replaceAll("-", "_").replace(/^__+(?=.)/, "_");
    if (/^_+$/.test(name)) name = "tool";
    while (taken.has(name) || used.has(name)) name = `${name}_`;
    used.add(name);
    return name;
  });
}

/** Names that begin with two underscores are the sandbox's own. */
function isUsable(name: string, taken: ReadonlySet<string>): boolean {
  return !taken.has(name) && !name.includes("-") && !name.startsWith("__");
}

/** The declaration of one function. */
export function declarationOf({ name, tool }: GuestFunction): string {
  const { description, inputSchema, outputSchema, lifecycle } = tool;
  const ends = lifecycle.completesRun === true ? " Ends the task when it succeeds." : "";
  const input = schemaType(inputSchema);
  const parameter = isOptional(inputSchema) ? `input?: ${input}` : `input: ${input}`;
  const result = outputSchema === undefined ? "any" : schemaType(outputSchema);
  return `/** ${inComment(description + ends)} */\ndeclare function ${name}(${parameter}): Promise<${result}>;`;
}

/** Without arguments that are needed, the function may be called without any. */
function isOptional(inputSchema: AgentTool["inputSchema"]): boolean {
  const { required } = inputSchema;
  return !Array.isArray(required) || required.length === 0;
}

/** Functions to look for tools that are not all told. */
export const SEARCH_DECLARATIONS = `/** Finds functions by words of their names and descriptions, the best first. */
declare function searchTools(query: string): Promise<{ name: string; description: string }[]>;
/** The TypeScript declaration of a function. Read it before you call the function. */
declare function describeTool(name: string): Promise<string>;`;

/** How JavaScript and TypeScript are told to the model. */
export const typescriptGuide: GuideLanguage = {
  fence: "ts",
  taken: TAKEN,
  declarationOf,
  typeOf: (schema) => schemaType(schema),
  searchDeclarations: SEARCH_DECLARATIONS,
};

/** What code may use, for a check of its types: all functions, whether the model was told of them or not. */
export function declarationsOf(functions: readonly GuestFunction[]): string {
  return [...functions.map(declarationOf), SEARCH_DECLARATIONS, GENERAL_DECLARATIONS].join("\n");
}

const GENERAL_DECLARATIONS = `declare const tools: Record<string, (input?: any) => Promise<any>>;
declare function callTool(name: string, input?: any): Promise<any>;`;

/** How a guide is cut. */
export interface GuideOptions {
  /** Characters of declarations above which they are not all told. */
  readonly maxChars: number;
  /** @default {@link typescriptGuide} */
  readonly language?: GuideLanguage;
}

/** What the model is told of its functions. */
export interface ToolGuide {
  readonly text: string;
  /** Whether some functions are left out, so that the code needs `searchTools` and `describeTool`. */
  readonly isCompact: boolean;
}

/**
 * Declarations of all functions, or of as many as fit, those first that end the task. The others are named while there is room for names, and the rest
 * has to be searched for.
 */
export function createToolGuide(functions: readonly GuestFunction[], { maxChars, language = typescriptGuide }: GuideOptions): ToolGuide {
  if (functions.length === 0) return { text: "There are no functions besides the language's own.", isCompact: false };
  const declarations = functions.map(language.declarationOf);
  const all = declarations.join("\n");
  if (all.length <= maxChars) return { text: inBlock(all, language), isCompact: false };
  const shown: string[] = [];
  const named: string[] = [];
  let left = maxChars - language.searchDeclarations.length;
  const order = functions
    .map((each, index) => ({ each, declaration: declarations[index] ?? "" }))
    .sort((a, b) => rank(b.each) - rank(a.each));
  for (const { each, declaration } of order) {
    const isShown = declaration.length < left && (rank(each) > 0 || left > maxChars / 2);
    const cost = isShown ? declaration.length + 1 : each.name.length + 2; // with what stands between
    if (cost > left) continue;
    (isShown ? shown : named).push(isShown ? declaration : each.name);
    left -= cost;
  }
  const rest = functions.length - shown.length - named.length;
  const names = named.length === 0 ? "" : `\nFurther functions, to be read with describeTool first: ${named.join(", ")}.`;
  const count = rest === 0 ? "" : `\nAnd ${rest} more, to be found with searchTools.`;
  return { text: `${inBlock([language.searchDeclarations, ...shown].join("\n"), language)}${names}${count}`, isCompact: true };
}

function rank({ tool }: GuestFunction): number {
  return tool.lifecycle.completesRun === true ? 1 : 0;
}

function inBlock(declarations: string, { fence }: GuideLanguage): string {
  return `\`\`\`${fence}\n${declarations}\n\`\`\``;
}

const MAX_FOUND = 10;

/** Functions whose name or description holds words of a query, those with most of them first. */
export function searchFunctions(functions: readonly GuestFunction[], query: string): { name: string; description: string }[] {
  const words = wordsOf(query);
  const scored = functions.map(({ name, tool }) => {
    const [nameWords, text] = [wordsOf(tool.name), tool.description.toLowerCase()];
    const score = words.reduce(
      (sum, word) => sum + (nameWords.some((part) => areAlike(part, word)) ? 3 : 0) + (text.includes(word) ? 1 : 0),
      0,
    );
    return { name, description: tool.description, score };
  });
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_FOUND)
    .map(({ name, description }) => ({ name, description }));
}

/** `invoice` is found by `inv` and by `invoices`. */
function areAlike(part: string, word: string): boolean {
  return part.startsWith(word) || (part.length > 3 && word.startsWith(part));
}

function wordsOf(text: string): string[] {
  return text
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1);
}
