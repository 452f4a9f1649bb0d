/**
 * Builds the package: the modules of `src` bundled into one file for each entry point and what they share, and a declaration file for each module.
 * One file loads in a third of the time that forty files take.
 *
 * `node scripts/build.ts [folder]`; default `dist`.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { rolldown } from "rolldown";
import { buildPageModule } from "./build-page.ts";
import { projectRoot } from "./source-files.ts";

const folder = resolve(process.argv[2] ?? join(projectRoot, "dist"));
/** Names of the files that others look for, and the modules that they are made of. */
const entries = {
  index: "index.ts",
  cli: "cli/main.ts",
  testing: "testing.ts",
  bench: "bench.ts",
  sandbox: "sandbox/index.ts",
  "sandbox-child": "sandbox/child/child-main.ts",
  "sandbox-quickjs-worker": "sandbox/quickjs/quickjs-worker.ts",
  "sandbox-quickjs-web-worker": "sandbox/quickjs/quickjs-web-worker.ts",
  "sandbox-pyodide-child": "sandbox/pyodide/pyodide-child.ts",
  "sandbox-pyodide-snapshot": "sandbox/pyodide/pyodide-snapshot.ts",
};

rmSync(folder, { recursive: true, force: true });
const bundle = await rolldown({
  input: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(projectRoot, "src", file)])),
  external: (id) => !id.startsWith(".") && !isAbsolute(id),
  resolve: { extensionAlias: { ".js": [".ts"] } },
  platform: "node",
  treeshake: { moduleSideEffects: false },
});
await bundle.write({
  dir: folder,
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "chunk-[name].js",
  codeSplitting: {
    groups: [
      // The command shares some modules with each entry. Left to itself, the bundler would give each set of them a file that importing triact has to load.
      { name: "agent", test: /src\/(base|runtimes|agent)\// },
      // A child of the sandbox may read no package but its own: what it shares with the agent stands alone.
      { name: "sandbox-errors", test: /src\/sandbox\/sandbox-errors/, priority: 1 },
    ],
  },
});
await bundle.close();
writeFileSync(join(folder, "bench-page.js"), await buildPageModule());
linkCommand();
const tsc = join(projectRoot, "node_modules/typescript/bin/tsc");
const project = join(projectRoot, "tsconfig.build.json");
execFileSync(process.execPath, [tsc, "-p", project, "--emitDeclarationOnly", "--outDir", folder], { stdio: "inherit" });

/** Does for a clone what npm does for packages that it installs, so that `npx triact` finds the command. */
function linkCommand(): void {
  chmodSync(join(folder, "cli.js"), 0o755);
  if (folder !== join(projectRoot, "dist") || process.platform === "win32") return;
  const link = join(projectRoot, "node_modules/.bin/triact");
  rmSync(link, { force: true });
  symlinkSync("../../dist/cli.js", link);
}
