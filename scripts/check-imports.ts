/**
 * Checks who imports whom in `src`: each folder may use the folders that its rule names, a package must be one that
 * package.json lists, and only entry files re-export. Import cycles are the linter's business.
 */
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { type Expression, parseSync, Visitor } from "oxc-parser";
import { lineOf, projectRoot, report, sourceFiles } from "./source-files.ts";

interface Rule {
  /** Places whose modules may be imported in any way. */
  readonly may: readonly Place[];
  /** Places that only `import()` and `import type` may name, so that importing this place does not load them. */
  readonly lazily?: readonly Place[];
  /** Whether `node:` modules are allowed: anywhere, or only by `import()` and `import type`, so that browsers can import the place. */
  readonly node?: "always" | "lazily";
  /** Whether packages that are only peer dependencies are allowed, by `import()` and `import type`. */
  readonly peers?: boolean;
  /** Whether `import()` of something else than a plain string is allowed; it could be any module. */
  readonly computed?: boolean;
  /** Whether the build puts everything that is imported into one file, so that packages may be development dependencies. */
  readonly inlined?: boolean;
  /** Whether the file does nothing but re-export. */
  readonly entry?: boolean;
}

type Place =
  | "base"
  | "runtimes"
  | "sandbox"
  | "models"
  | "agent"
  | "bench"
  | "bench-page"
  | "cli"
  | "index.ts"
  | "bench.ts"
  | "testing.ts"
  | "testing-agents"
  | "testing-executors";

/** Entries of the package that lie in a folder: like those in `src`, they do nothing but re-export. */
const folderEntries = ["src/sandbox/index.ts"];

const rules: Record<Place, Rule> = {
  base: { may: [] },
  sandbox: { may: [], node: "always", peers: true },
  models: { may: ["base"], node: "lazily", peers: true },
  runtimes: { may: ["base", "sandbox"], node: "lazily" },
  agent: { may: ["runtimes", "models", "base"], lazily: ["sandbox"], node: "lazily", peers: true },
  bench: { may: ["agent", "runtimes", "models", "sandbox", "base"], node: "always", peers: true, computed: true },
  "bench-page": { may: ["bench"], inlined: true },
  cli: {
    may: ["bench", "agent", "runtimes", "models", "sandbox", "base"],
    lazily: ["testing.ts"],
    node: "always",
    peers: true,
    computed: true,
  },
  "index.ts": { may: ["bench", "agent", "runtimes", "models", "sandbox", "base"], entry: true },
  "bench.ts": { may: ["bench"], entry: true },
  "testing.ts": { may: ["testing-agents", "testing-executors"], entry: true },
  "testing-agents": { may: ["agent", "base"] },
  "testing-executors": { may: ["sandbox"] },
};

interface Import {
  readonly target: string | undefined;
  readonly how: "value" | "type" | "dynamic";
  readonly reExport: boolean;
  readonly offset: number;
}

interface Question {
  readonly place: Place;
  readonly found: Import;
  readonly manifest: Manifest;
}

interface Manifest {
  readonly dependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
}

/**
 * Every wrong import under `root/src`.
 * @returns One line of text for each, starting with `path:line`.
 */
export function findWrongImports(root: string): string[] {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
  return sourceFiles(root).flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    const place = placeOf(file);
    if (!isPlace(place)) return [`${file}:1 stands in no known folder; scripts/check-imports.ts has no rule for ${place}`];
    const wrong = importsOf(file, text).flatMap((found) => {
      const problem = problemOf(file, { place, found, manifest });
      return problem === undefined ? [] : [`${file}:${lineOf(text, found.offset)} ${problem}`];
    });
    return rules[place].entry || folderEntries.includes(file) ? [...wrong, ...ownStatements(file, text)] : wrong;
  });
}

function problemOf(file: string, { place, found, manifest }: Question): string | undefined {
  const rule = rules[place];
  const { target, how } = found;
  if (target === undefined) return rule.computed ? undefined : `${place} may import() only a plain string`;
  if (found.reExport && file.split("/").length > 2 && !folderEntries.includes(file))
    return `only entry files re-export; import "${target}" where it is used`;
  if (target.startsWith("node:")) return nodeProblem(target, { place, found });
  if (!target.startsWith(".")) return packageProblem(packageName(target), { place, found, manifest });
  const other = placeOf(posix.join(posix.dirname(file), target));
  if (other === place || rule.may.some((allowed) => allowed === other)) return undefined;
  if (!rule.lazily?.some((allowed) => allowed === other)) return `${place} may not import ${other} ("${target}")`;
  return how === "value" ? `${place} may import ${other} only by import() or import type ("${target}")` : undefined;
}

function nodeProblem(target: string, { place, found }: Pick<Question, "place" | "found">): string | undefined {
  const { node } = rules[place];
  if (node === undefined) return `${place} may not import ${target}`;
  return node === "lazily" && found.how === "value" ? `${place} may import ${target} only by import() or import type` : undefined;
}

/** Peers are optional: a module that needs one loads it when it is used. */
function packageProblem(name: string, { place, found, manifest }: Question): string | undefined {
  if (name in (manifest.dependencies ?? {})) return undefined;
  if (rules[place].inlined && name in (manifest.devDependencies ?? {})) return undefined;
  if (!(name in (manifest.peerDependencies ?? {}))) return `${name} is neither a dependency nor a peer dependency`;
  if (!rules[place].peers) return `${place} may not import the peer dependency ${name}`;
  return found.how === "value" ? `the peer dependency ${name} may be imported only by import() or import type` : undefined;
}

function packageName(target: string): string {
  const segments = target.startsWith("@") ? 2 : 1;
  return target.split("/").slice(0, segments).join("/");
}

function importsOf(file: string, text: string): Import[] {
  const imports: Import[] = [];
  const add = (source: Expression, how: Import["how"], reExport = false) => {
    const target = source.type === "Literal" && typeof source.value === "string" ? source.value : undefined;
    imports.push({ target, how, reExport, offset: source.start });
  };
  new Visitor({
    ImportDeclaration: (node) => add(node.source, node.importKind === "type" ? "type" : "value"),
    ExportAllDeclaration: (node) => add(node.source, node.exportKind === "type" ? "type" : "value", true),
    ExportNamedDeclaration: (node) => {
      if (node.source) add(node.source, node.exportKind === "type" ? "type" : "value", true);
    },
    ImportExpression: (node) => add(node.source, "dynamic"),
    TSImportType: (node) => add(node.source, "type"),
  }).visit(parse(file, text));
  return imports;
}

function ownStatements(file: string, text: string): string[] {
  return parse(file, text)
    .body.filter((node) => node.type !== "ExportAllDeclaration" && !(node.type === "ExportNamedDeclaration" && node.source !== null))
    .map((node) => `${file}:${lineOf(text, node.start)} an entry file holds nothing but re-exports`);
}

function parse(file: string, text: string) {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file} could not be parsed: ${errors[0]?.message}`);
  return program;
}

/** First path segment below `src`: a folder or an entry file. */
function placeOf(file: string): string {
  return file.split("/")[1]?.replace(/^([^/]+)\.js$/, "$1.ts") ?? "";
}

function isPlace(name: string): name is Place {
  return name in rules;
}

if (import.meta.main) report(findWrongImports(projectRoot), "Imports: every arrow points the right way.");
