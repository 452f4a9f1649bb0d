import { registerHooks } from "node:module";

/**
 * Gives every module of this process that imports `triact` the one that the command is part of, wherever the module lies: a tool is only known to the
 * triact that made it. `zod` is lent in the same way to modules that have none of their own.
 */
export function shareTriact(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const ours = { ...context, parentURL: import.meta.url };
      if (isOf("triact", specifier)) return next(specifier, ours);
      if (!isOf("zod", specifier)) return next(specifier, context);
      try {
        return next(specifier, context);
      } catch {
        return next(specifier, ours); // it throws the same again when there is no such entry
      }
    },
  });
}

function isOf(name: string, specifier: string): boolean {
  return specifier === name || specifier.startsWith(`${name}/`);
}
