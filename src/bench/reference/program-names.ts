import { type Pattern, parse, tokenizer } from "acorn";

const PARSE_OPTIONS = { ecmaVersion: "latest", allowAwaitOutsideFunction: true, allowReturnOutsideFunction: true } as const;

/** Words that acorn takes for names, and that cannot be parameters of an async function. */
const WORDS = new Set(["await", "async", "of", "get", "set", "let", "static", "yield", "arguments", "eval", "undefined"]);

/**
 * Names that a program uses without having declared them at its top: its functions, and names that mean nothing to it, such as those of fields.
 * @throws SyntaxError for what is no JavaScript.
 */
export function freeNames(program: string): string[] {
  const own = declaredNames(program);
  return [...new Set(namesIn(program))].filter((name) => !own.has(name) && !WORDS.has(name) && !(name in globalThis));
}

/** The places in a program where one of these functions is called or handed on, by name, in the order of the source. */
export function callSites(program: string, functions: ReadonlySet<string>): string[] {
  return namesIn(program).filter((name) => functions.has(name));
}

function namesIn(program: string): string[] {
  const names: string[] = [];
  let before = "";
  for (const { type, start, end } of tokenizer(program, PARSE_OPTIONS)) {
    if (type.label === "name" && before !== "." && before !== "?.") names.push(program.slice(start, end));
    before = type.label;
  }
  return names;
}

/** A name that is declared at the top of a function cannot be a parameter of it as well. */
function declaredNames(program: string): Set<string> {
  const { body } = parse(program, PARSE_OPTIONS);
  const names = body.flatMap((node) => {
    if (node.type === "FunctionDeclaration" || node.type === "ClassDeclaration") return [node.id.name];
    return node.type === "VariableDeclaration" ? node.declarations.flatMap(({ id }) => boundNames(id)) : [];
  });
  return new Set(names);
}

function boundNames(pattern: Pattern): string[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((property) => boundNames(property.type === "Property" ? property.value : property.argument));
    case "ArrayPattern":
      return pattern.elements.flatMap((element) => (element === null ? [] : boundNames(element)));
    case "AssignmentPattern":
      return boundNames(pattern.left);
    case "RestElement":
      return boundNames(pattern.argument);
    default:
      return [];
  }
}
