/**
 * Checks that TSDoc stands at every export of `src`, at every `protected` member, and at every field of an exported
 * interface whose name ends in `Options`. A re-export counts as documented where it is declared, an `override` where it
 * is first declared, and of overloads only the first needs the comment.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Class, type Comment, type Node, parseSync, type Statement, Visitor } from "oxc-parser";
import { lineOf, projectRoot, report, sourceFiles } from "./source-files.ts";

interface Found {
  readonly name: string;
  readonly start: number;
}

/**
 * Everything in one file that lacks its comment.
 * @returns One line of text for each, starting with `path:line`.
 */
export function findMissingDocs(file: string, text: string): string[] {
  const { program, comments, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} could not be parsed: ${errors[0]?.message}`);
  const found = [...exportsOf(program.body), ...optionFieldsOf(program.body)];
  new Visitor({
    ClassDeclaration: (node) => found.push(...protectedMembersOf(node)),
    ClassExpression: (node) => found.push(...protectedMembersOf(node)),
  }).visit(program);
  return firstOfEachName(found)
    .filter(({ start }) => !hasDoc({ text, comments, start }))
    .sort((a, b) => a.start - b.start)
    .map(({ name, start }) => `${file}:${lineOf(text, start)} ${name} has no TSDoc comment`);
}

function exportsOf(body: readonly Statement[]): Found[] {
  const listed = new Set<string>();
  const found: Found[] = [];
  for (const statement of body) {
    if (statement.type === "ExportDefaultDeclaration") found.push({ name: "default", start: statement.start });
    if (statement.type !== "ExportNamedDeclaration" || statement.source !== null) continue;
    if (statement.declaration) found.push(...namesOf(statement.declaration).map((name) => ({ name, start: statement.start })));
    for (const { local } of statement.specifiers) if ("name" in local) listed.add(local.name);
  }
  const declared = body.flatMap((statement) => namesOf(statement).map((name) => ({ name, start: statement.start })));
  return [...found, ...declared.filter(({ name }) => listed.has(name))];
}

function namesOf(node: Node): string[] {
  if (node.type === "VariableDeclaration") return node.declarations.map(({ id }) => (id.type === "Identifier" ? id.name : "a pattern"));
  return "id" in node && node.id !== null && "name" in node.id && typeof node.id.name === "string" ? [node.id.name] : [];
}

function optionFieldsOf(body: readonly Statement[]): Found[] {
  return body.flatMap((statement) => {
    const node = statement.type === "ExportNamedDeclaration" ? statement.declaration : null;
    if (node?.type !== "TSInterfaceDeclaration" || !node.id.name.endsWith("Options")) return [];
    return node.body.body.map((member) => ({ name: `${node.id.name}.${keyOf(member)}`, start: member.start }));
  });
}

function protectedMembersOf(node: Class): Found[] {
  return node.body.body.flatMap((member) => {
    if (!("accessibility" in member) || member.accessibility !== "protected" || member.override) return [];
    return [{ name: `${node.id?.name ?? "class"}.${keyOf(member)}`, start: member.start }];
  });
}

function keyOf(member: Node): string {
  return "key" in member && "name" in member.key && typeof member.key.name === "string" ? member.key.name : "[member]";
}

function firstOfEachName(found: readonly Found[]): Found[] {
  const seen = new Set<string>();
  return found.filter(({ name }) => !seen.has(name) && seen.add(name));
}

/** Whether the last comment before `start`, with nothing but white space between, is a doc comment that says something. */
function hasDoc({ text, comments, start }: { text: string; comments: readonly Comment[]; start: number }): boolean {
  const before = comments.findLast(({ end }) => end <= start && text.slice(end, start).trim() === "");
  return before !== undefined && before.type === "Block" && /^\*[\s*]*[^\s*]/.test(before.value);
}

if (import.meta.main) {
  const problems = sourceFiles(projectRoot).flatMap((file) => findMissingDocs(file, readFileSync(join(projectRoot, file), "utf8")));
  report(problems, "TSDoc: every export and every protected member has its comment.");
}
