import { pathToFileURL } from "node:url";
import { isObject } from "../base/json.js";
import { type AgentTool, isAgentTool } from "../base/tool.js";
import type { CommandHost } from "./command.js";
import { importProblem } from "./import-problem.js";
import { UsageError } from "./usage-error.js";

/**
 * The tools that modules export: an array or one tool as default, or tools by name. Other exports by name are left alone.
 * @param paths - Absolute paths.
 * @throws UsageError for a module that cannot be loaded or exports no tools, and for a name that two tools have.
 */
export async function loadTools(paths: readonly string[], importModule: CommandHost["importModule"]): Promise<readonly AgentTool[]> {
  const found = new Map<string, { readonly tool: AgentTool; readonly path: string }>();
  for (const path of paths) {
    for (const tool of toolsOf(path, await load(path, importModule))) {
      const other = found.get(tool.name);
      if (other !== undefined && other.tool !== tool) {
        const places = other.path === path ? path : `${other.path} and ${path}`;
        throw new UsageError({ problem: `--tools: there are two tools named ${tool.name}, in ${places}. Names must be unique.` });
      }
      found.set(tool.name, { tool, path });
    }
  }
  return [...found.values()].map(({ tool }) => tool);
}

async function load(path: string, importModule: CommandHost["importModule"]): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await importModule(pathToFileURL(path).href);
  } catch (cause) {
    throw new UsageError({ problem: `--tools: ${path} could not be loaded: ${importProblem(path, cause)}`, cause });
  }
}

function toolsOf(path: string, exports: Readonly<Record<string, unknown>>): readonly AgentTool[] {
  const { default: main, ...named } = exports;
  const listed: readonly unknown[] = Array.isArray(main) ? main : main === undefined ? [] : [main];
  const wrong = listed.findIndex((value) => !isAgentTool(value));
  if (wrong >= 0) {
    const place = Array.isArray(main) ? `item ${wrong} of the default export` : "the default export";
    throw new UsageError({ problem: `--tools: ${place} of ${path} is no tool. ${adviceFor(listed[wrong])}` });
  }
  const tools = [...listed, ...Object.values(named)].filter(isAgentTool);
  if (tools.length > 0) return tools;
  const alike = Object.values(named).find(looksLikeTool);
  throw new UsageError({ problem: `--tools: ${path} exports no tool. ${adviceFor(alike)}` });
}

function adviceFor(value: unknown): string {
  const advice = 'Export what createTool of "triact" returns: one or several by name, or an array of them as default.';
  return looksLikeTool(value) ? `What looks like a tool was not made by createTool. ${advice}` : advice;
}

function looksLikeTool(value: unknown): boolean {
  return isObject(value) && typeof value["name"] === "string" && typeof value["execute"] === "function";
}
