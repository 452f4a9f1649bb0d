import type { Node, Options, Program } from "acorn";
import type { ExecutionError } from "../code-executor.js";
import type { SandboxCode } from "../sandbox.js";
import { applyEdits, type Position, placeBefore, positionAt } from "./position-map.js";
import { findImport, rewriteCode } from "./rewrite-code.js";
import type { Stripped } from "./strip-types.js";
import { TypeScriptSyntaxError } from "./typescript-syntax-error.js";

/** Code that a guest can run. */
export interface PreparedCode {
  readonly prologue: string;
  readonly code: string;
  readonly declares: readonly string[];
  readonly lastName: string;
  /** Where a place of the running code is in what the model wrote. */
  readonly original: (position: Position) => Position;
}

/** What came of preparing code. */
export type Preparation = { readonly ok: true; readonly prepared: PreparedCode } | { readonly ok: false; readonly error: ExecutionError };

/** Loads what is needed to prepare code, so that the first execution does not wait for it. */
export async function loadParser(): Promise<Parser> {
  const [parser, { stripTypes }] = await Promise.all([loadJavaScriptParser(), import("./strip-types.js")]);
  return { ...parser, stripTypes };
}

/** The same where there is no Node, which takes the types out of TypeScript: for JavaScript alone. */
export async function loadJavaScriptParser(): Promise<Parser> {
  const { parse, parseExpressionAt } = await import("acorn");
  return { parse, parseExpressionAt };
}

/** The part of acorn that is used, and what takes types out. */
export interface Parser {
  readonly stripTypes?: (code: string) => Stripped;
  readonly parse: (code: string, options: Options) => Program;
  readonly parseExpressionAt: (code: string, position: number, options: Options) => Node;
}

const PARSER_OPTIONS: Options = {
  ecmaVersion: "latest",
  sourceType: "script",
  allowReturnOutsideFunction: true,
  allowAwaitOutsideFunction: true,
  allowImportExportEverywhere: true, // to refuse them in words of our own
};

/** Reads code and makes it ready to run: types out, names that persist, a value at its end. Nothing of it is executed. */
export function prepareCode({ code, language, step }: SandboxCode, parser: Parser): Preparation {
  try {
    const stripped: Stripped =
      language === "typescript" && parser.stripTypes ? parser.stripTypes(code) : { code, original: (position) => position };
    return prepareJavaScript(stripped, step.toolNames, parser);
  } catch (error) {
    const { line, column } = (error as TypeScriptSyntaxError).position ?? { line: 0, column: 0 };
    const isImport = /^\s*(import|export)\b/.test(code.split("\n")[line - 1] ?? "");
    return { ok: false, error: isImport ? importRefused({ line, column }, step.toolNames) : syntaxErrorOf(error) };
  }
}

function prepareJavaScript(stripped: Stripped, toolNames: readonly string[], parser: Parser): Preparation {
  const { code } = stripped;
  const program = parse(stripped, parser);
  const asked = /import|export|require/.test(code) ? findImport(program) : undefined;
  if (asked) return { ok: false, error: importRefused(stripped.original(positionAt(code, asked.start)), toolNames) };
  const lastName = unusedName(code);
  const { edits, prologue, declares } = rewriteCode(program, {
    code,
    lastName,
    isObjectLiteral: (block) => isObjectLiteral(block, code, parser),
  });
  const taken = declares.find((name) => name === "tools" || name === "callTool" || toolNames.includes(name));
  if (taken !== undefined)
    return { ok: false, error: syntaxError(`${taken} is the name of a tool or of the tools; choose another name for yours.`) };
  const original = (position: Position) => stripped.original(placeBefore(position, { code, edits }));
  return { ok: true, prepared: { prologue, declares, lastName, original, code: applyEdits(code, edits) } };
}

function parse({ code, original }: Stripped, parser: Parser): Program {
  try {
    return parser.parse(code, PARSER_OPTIONS);
  } catch (error) {
    const { message, pos } = error as Error & { pos?: number };
    if (pos === undefined) throw error;
    const isAwait = /\bawait\s+$/.test(code.slice(Math.max(pos - 20, 0), pos));
    const text = isAwait ? "await is possible only at the top level and in async functions" : message.replace(/ \(\d+:\d+\)$/, "");
    throw new TypeScriptSyntaxError({ message: text, position: original(positionAt(code, pos)) });
  }
}

/** Models end code with `{ total, count }` and mean an object. */
function isObjectLiteral(block: Node, code: string, parser: Parser): boolean {
  try {
    const expression = parser.parseExpressionAt(code, block.start, PARSER_OPTIONS);
    return expression.type === "ObjectExpression" && expression.end === block.end;
  } catch {
    return false; // it is a block
  }
}

function unusedName(code: string): string {
  let name = "$last";
  for (let number = 1; code.includes(name); number++) name = `$last${number}`;
  return name;
}

function importRefused({ line, column }: Position, toolNames: readonly string[]): ExecutionError {
  const tools =
    toolNames.length === 0 ? "There are no tools either." : `The tools are global functions: ${toolNames.slice(0, 20).join(", ")}.`;
  const message = `There are no modules here: import, export and require are not possible. ${tools}`;
  return { code: "import-refused", name: "SyntaxError", message, line, column };
}

function syntaxErrorOf(error: unknown): ExecutionError {
  if (error instanceof TypeScriptSyntaxError) return syntaxError(error.message, error.position);
  if (error instanceof RangeError) return syntaxError("The code is nested too deeply to be read.");
  return syntaxError("The code cannot be read.");
}

function syntaxError(message: string, position?: Position): ExecutionError {
  return { code: "syntax", name: "SyntaxError", message, ...position };
}
