import { messageOf } from "../base/errors.js";

/** Why a module of the user could not be loaded, and what may help. */
export function importProblem(path: string, cause: unknown): string {
  const [, kind] = path.match(/\.(ts|js)$/) ?? [];
  if (!(cause instanceof SyntaxError) || kind === undefined) return messageOf(cause);
  return `${messageOf(cause)}. In a project of CommonJS modules, name the file .m${kind} or set "type": "module" in its package.json.`;
}
