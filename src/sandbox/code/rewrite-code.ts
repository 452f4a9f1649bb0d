import type { AnyNode, Node, Pattern, Program, Statement, VariableDeclaration } from "acorn";
import type { Edit } from "./position-map.js";

/** How code is changed so that it runs in a function and still acts as if it stood at the top level. */
export interface Rewriting {
  readonly edits: readonly Edit[];
  /** Statements for the line before the code. */
  readonly prologue: string;
  /** Names that the code declares at its top level. */
  readonly declares: readonly string[];
}

/** What a rewriting needs besides the syntax tree. */
export interface RewriteOptions {
  /** The text of the syntax tree. */
  readonly code: string;
  /** Name of the function that takes the value of the last expression. */
  readonly lastName: string;
  /** Whether a block could be read as an object literal. */
  readonly isObjectLiteral: (block: Node) => boolean;
}

/**
 * Turns declarations at the top level into assignments to properties of the global object, so that they persist and may be made again, and the last
 * expression into a value. `const a = 1` becomes `;     a = 1`, with every column kept where that is possible.
 *
 * A `var` inside a block, and the variable of a loop, stay within their step.
 */
export function rewriteCode(program: Program, options: RewriteOptions): Rewriting {
  const edits: Edit[] = [];
  const declares: string[] = [];
  let prologue = "";
  for (const statement of program.body) {
    if (statement.type === "VariableDeclaration") rewriteVariables(statement, { ...options, edits, declares });
    else if (statement.type === "ClassDeclaration") {
      declares.push(statement.id.name);
      edits.push(insert(statement.start, `;${statement.id.name} = `), insert(statement.end, ";"));
    } else if (statement.type === "FunctionDeclaration") {
      declares.push(statement.id.name);
      prologue += `this.${statement.id.name}=${statement.id.name};`; // `this` is the global object
    }
  }
  edits.push(...returnLast(program, options));
  return { edits, declares, prologue: isStrict(program) ? `"use strict";${prologue}` : prologue };
}

interface VariableRewriting extends RewriteOptions {
  readonly edits: Edit[];
  readonly declares: string[];
}

function rewriteVariables(declaration: VariableDeclaration, { code, edits, declares }: VariableRewriting): void {
  const { kind, start, end, declarations } = declaration;
  if (kind !== "var" && kind !== "let" && kind !== "const") return; // `using` has an end, so it cannot persist
  edits.push({ start, end: start + kind.length, text: ";".padEnd(kind.length) });
  for (const { id, init, end: declaratorEnd } of declarations) {
    declares.push(...namesOf(id));
    if (id.type === "ObjectPattern") edits.push(insert(id.start, "("), insert(declaratorEnd, ")"));
    else if (!init && kind === "let") edits.push(insert(declaratorEnd, " = void 0"));
  }
  // Without it an assignment would go on in a line that begins with a bracket, where a declaration would not.
  if (code[end - 1] !== ";") edits.push(insert(end, ";"));
}

/** Names that a pattern declares. */
function namesOf(pattern: Pattern): string[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((property) => namesOf(property.type === "RestElement" ? property.argument : property.value));
    case "ArrayPattern":
      return pattern.elements.flatMap((element) => (element === null ? [] : namesOf(element)));
    case "RestElement":
      return namesOf(pattern.argument);
    case "AssignmentPattern":
      return namesOf(pattern.left);
    default:
      return []; // a member expression declares nothing
  }
}

function returnLast(program: Program, { code, lastName, isObjectLiteral }: RewriteOptions): Edit[] {
  const last = program.body.findLast((statement) => statement.type !== "EmptyStatement");
  if (last === undefined || !isValue(last as Statement, isObjectLiteral)) return [];
  const end = code[last.end - 1] === ";" ? last.end - 1 : last.end;
  return [insert(last.start, `return ${lastName}((`), insert(end, "));")];
}

function isValue(statement: Statement, isObjectLiteral: (block: Node) => boolean): boolean {
  if (statement.type === "ExpressionStatement") return statement.directive !== "use strict";
  return statement.type === "BlockStatement" && isObjectLiteral(statement);
}

function isStrict(program: Program): boolean {
  return program.body.some((statement) => statement.type === "ExpressionStatement" && statement.directive === "use strict");
}

function insert(at: number, text: string): Edit {
  return { start: at, end: at, text };
}

/** The first place at which code asks for a module; undefined if it does not. */
export function findImport(program: Program): Node | undefined {
  const open: unknown[] = [program];
  let found: Node | undefined;
  while (open.length > 0) {
    const node = open.pop();
    if (Array.isArray(node)) open.push(...(node as unknown[]));
    else if (isNode(node)) {
      if (asksForModule(node) && (found === undefined || node.start < found.start)) found = node;
      open.push(...Object.values(node));
    }
  }
  return found;
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === "object" && value !== null && "type" in value;
}

function asksForModule(node: AnyNode): boolean {
  if (/^(Import(Declaration|Expression)|Export.*Declaration)$/.test(node.type)) return true;
  return node.type === "CallExpression" && node.callee.type === "Identifier" && node.callee.name === "require";
}
