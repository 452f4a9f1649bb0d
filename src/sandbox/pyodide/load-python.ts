import { constants, readFileSync } from "node:fs";
import type { PyodideAPI } from "pyodide";
import { PYTHON_GUEST_FILE, PYTHON_GUEST_PROGRAM, PYTHON_PRELOADED } from "./python-guest.js";

/** Where Python's files are. */
export interface PythonFiles {
  /** Folder of the package `pyodide`. */
  readonly folder: string;
  /** File with the memory of an interpreter that has just started. Without it Python starts from nothing, which takes some seconds. */
  readonly snapshot?: string;
}

/** Loads Python from files of this machine. It sees no object of JavaScript but those that it is given. */
export async function loadPython({ folder, snapshot }: PythonFiles): Promise<PyodideAPI> {
  // Its file system looks there for these numbers, and the permission model allows nobody to look.
  Reflect.set(process, "binding", () => ({ fs: constants }));
  const { loadPyodide } = await import("pyodide");
  return loadPyodide({
    indexURL: folder,
    jsglobals: Object.create(null) as object,
    env: { PYTHONHASHSEED: "0", HOME: "/home/pyodide" }, // the order in sets is to be the same when code runs again
    stdin: () => null as never,
    stdout: () => undefined,
    stderr: () => undefined,
    ...(snapshot === undefined ? { _makeSnapshot: true } : { _loadSnapshot: readFileSync(snapshot) }),
  });
}

/** Loads our own program, with a copy of Python's built-in functions, and what most code imports. */
const PUT_GUEST_PROGRAM = `import builtins, sys
${PYTHON_PRELOADED}
scope = {"__builtins__": dict(vars(builtins)), "__name__": "triact_guest"}
exec(compile(PROGRAM, ${JSON.stringify(PYTHON_GUEST_FILE)}, "exec"), scope)
sys.modules["triact_guest"] = scope["start_guest"]`;

/** Takes our own program out of a snapshot: a function that starts it. */
export const TAKE_GUEST_PROGRAM = `import sys
sys.modules.pop("triact_guest")`;

/** The memory of an interpreter that has just started, and has loaded our own program. */
export async function makeSnapshot(files: PythonFiles): Promise<Uint8Array> {
  const python = await loadPython(files);
  const globals = python.toPy({ PROGRAM: PYTHON_GUEST_PROGRAM }) as { destroy(): void };
  python.runPython(PUT_GUEST_PROGRAM, { globals: globals as never });
  globals.destroy();
  return python.makeMemorySnapshot();
}
