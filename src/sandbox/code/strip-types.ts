import { SourceMap, stripTypeScriptTypes } from "node:module";
import type { Position } from "./position-map.js";
import { TypeScriptSyntaxError } from "./typescript-syntax-error.js";

/** JavaScript made from TypeScript. */
export interface Stripped {
  readonly code: string;
  /** Where a place of the JavaScript is in the TypeScript. */
  readonly original: (position: Position) => Position;
}

/**
 * Takes the types out of code. Most code keeps every position; enums, namespaces and parameter properties are rewritten, with a source map.
 * @throws TypeScriptSyntaxError
 */
export function stripTypes(code: string): Stripped {
  try {
    return stripInFunction(code, "strip");
  } catch (error) {
    if (!isUnsupported(error) && !(error instanceof LostSemicolon)) return stripAsModule(code, error);
  }
  try {
    return stripInFunction(code, "transform");
  } catch (error) {
    return stripAsModule(code, error); // a namespace may stand only at the top level of a module
  }
}

/** `return` and `await` at the top level are for functions only. */
const HEAD = "(async()=>{\n";
const TAIL = "\n})";

function stripInFunction(code: string, mode: "strip" | "transform"): Stripped {
  const text = quietly(() => stripTypeScriptTypes(`${HEAD}${code}${TAIL}`, { mode, ...(mode === "transform" && { sourceMap: true }) }));
  if (mode === "transform") return unwrap(text);
  const stripped = text.slice(HEAD.length, -TAIL.length);
  if (hasLostSemicolon(code, stripped)) throw new LostSemicolon();
  return { code: stripped, original: (position) => position };
}

/** Strip mode takes the `;` that begins a line for the end of a type alias above it, and joins two statements. */
class LostSemicolon extends Error {}

function hasLostSemicolon(code: string, stripped: string): boolean {
  for (const { index } of code.matchAll(/;(?<=^\s*;)/gm)) if (stripped[index] !== ";") return true;
  return false;
}

function unwrap(output: string): Stripped {
  const { text, map } = splitMap(output);
  const from = text.indexOf("{") + 1;
  return {
    code: text.slice(from, text.lastIndexOf("}")),
    // The first line of both texts is the head's.
    original: ({ line, column }) => shiftLine(map({ line, column }), -1),
  };
}

function stripAsModule(code: string, first: unknown): Stripped {
  try {
    const output = quietly(() => stripTypeScriptTypes(code, { mode: "transform", sourceMap: true }));
    const { text, map } = splitMap(output);
    return { code: text, original: map };
  } catch {
    throw syntaxError(first);
  }
}

function splitMap(output: string): { text: string; map: (position: Position) => Position } {
  const marker = "\n\n//# sourceMappingURL=data:application/json;base64,";
  const at = output.lastIndexOf(marker);
  if (at < 0) return { text: output, map: (position) => position };
  const sourceMap = new SourceMap(JSON.parse(Buffer.from(output.slice(at + marker.length), "base64").toString()) as never);
  return { text: output.slice(0, at), map: (position) => lookUp(sourceMap, position) };
}

function lookUp(sourceMap: SourceMap, position: Position): Position {
  const entry = sourceMap.findEntry(position.line - 1, position.column - 1);
  return "originalLine" in entry ? { line: entry.originalLine + 1, column: entry.originalColumn + 1 } : position;
}

function shiftLine({ line, column }: Position, by: number): Position {
  return { line: line + by, column };
}

function isUnsupported(error: unknown): boolean {
  return (error as { code?: unknown }).code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX";
}

/** The head of the error's stack shows the line and one before it: `:3\nlet a;\nconst b = ;\n          ^`. */
function syntaxError(error: unknown): TypeScriptSyntaxError {
  const { message, stack = "" } = error as Error;
  const shown = /^[^\n]*:(\d+)\n(?:[^\n]*\n){1,2}?( *)\^/.exec(stack);
  const position = shown && { line: Math.max(Number(shown[1]) - 1, 1), column: (shown[2]?.length ?? 0) + 1 };
  return new TypeScriptSyntaxError({ message, position: position ?? undefined });
}

let warned = false;

/** The first use prints a warning that the function is experimental, which is not news for whoever runs an agent. */
function quietly<T>(work: () => T): T {
  if (warned) return work();
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
    warned = true;
  }
}
