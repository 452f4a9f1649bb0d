import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { projectRoot } from "../../scripts/source-files.ts";
import { buildPackage, runNode, runTsc } from "../package/build-package.ts";
import { writeFiles } from "../package/temporary-folder.ts";
import { readMarkdown } from "./markdown.ts";
import { snippetsOf } from "./snippets.ts";

const folder = join(projectRoot, ".snippets");
const pages = globSync(["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/**/*.md"], { cwd: projectRoot })
  .map((file) => file.replaceAll("\\", "/"))
  .sort()
  .map((file) => ({ file, ...readMarkdown(readFileSync(join(projectRoot, file), "utf8")) }));
const snippets = pages.flatMap(({ file, fences }) => snippetsOf(file, fences));
const fileOf = (at: string) => `${at.replaceAll(/[/:]/g, "_")}.ts`;

let compilerOutput = "";

beforeAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  const tsconfig = {
    extends: "../tsconfig.json",
    compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
    include: ["*.ts"],
  };
  writeFiles(folder, { "tsconfig.json": JSON.stringify(tsconfig) });
  // A package of its own: inside ours, Node would take "triact" for the package itself, and run whatever dist holds.
  writeFiles(folder, { "package.json": '{ "type": "module" }', ...Object.fromEntries(snippets.map(({ at, text }) => [fileOf(at), text])) });
  if (snippets.length > 0) compilerOutput = (await runTsc(["-p", ".", "--pretty", "false"], folder)).output;
  if (snippets.some(({ runs }) => runs)) await buildPackage(join(folder, "node_modules/triact"));
}, 120_000);

const errorsOf = (at: string) => compilerOutput.split(/\n(?! )/).filter((line) => line.startsWith(`${fileOf(at)}(`));

test.for(snippets)("$at compiles", ({ at, file }) => {
  expect(errorsOf(at).map((line) => line.replace(/^.+?\((\d+),(\d+)\)/, `${file}:$1:$2`))).toEqual([]);
});

test("the compiler has nothing to say about anything but the snippets", () => {
  const aboutSnippets = new Set(snippets.flatMap(({ at }) => errorsOf(at)));
  expect(compilerOutput.split(/\n(?! )/).filter((line) => line !== "" && !aboutSnippets.has(line))).toEqual([]);
});

test.for(snippets.filter(({ runs }) => runs))("$at runs", { timeout: 40_000 }, async ({ at, file }) => {
  const { ok, output } = await runNode([fileOf(at)], { cwd: folder, timeoutMs: 30_000 });
  expect(ok, output.replaceAll(join(folder, fileOf(at)), file)).toBe(true);
});

test.for(pages)("every relative link in $file leads to a file", ({ file, links }) => {
  const broken = links
    .filter(({ target }) => !/^([a-z][a-z+.-]*:|#)/i.test(target))
    .filter(({ target }) => !existsSync(join(projectRoot, dirname(file), decodeURIComponent(target.replace(/[#?].*$/, "")))))
    .map(({ target, line }) => `${file}:${line} ${target}`);
  expect(broken).toEqual([]);
});
