import { registerHooks } from "node:module";
import type { Figures } from "./cases.ts";
import { cpuTime } from "./clock.ts";

/** Packages that `triact` needs to be imported. */
const OWN_PACKAGES = new Set(["triact", "zod", "nanoid", "@cfworker/json-schema", "@standard-schema/spec"]);

/** Milliseconds until a package is imported, in a process that has not imported it. */
export async function timeOfImport(name: "triact" | "zod"): Promise<Figures> {
  const from = cpuTime();
  await import(name);
  return { milliseconds: cpuTime() - from };
}

/** How many packages an import loads besides those that triact depends on, provider SDKs for example. Their names go to stderr. */
export async function countOtherPackages(name: "triact" | "zod"): Promise<Figures> {
  const loaded = new Set<string>();
  const hooks = registerHooks({
    resolve(specifier, context, nextResolve) {
      const resolved = nextResolve(specifier, context);
      const packageName = packageOf(resolved.url);
      if (packageName !== undefined) loaded.add(packageName);
      return resolved;
    },
  });
  await import(name);
  hooks.deregister();
  const others = [...loaded].filter((found) => !OWN_PACKAGES.has(found));
  if (others.length > 0) console.error(`Importing ${name} also loads ${others.join(", ")}.`);
  return { "other packages": others.length };
}

/** The package that a module stands in, as the last `node_modules` in its URL says. */
function packageOf(url: string): string | undefined {
  const [, ...inside] = url.split("/node_modules/");
  const path = inside.at(-1);
  if (path === undefined) return undefined;
  return path
    .split("/")
    .slice(0, path.startsWith("@") ? 2 : 1)
    .join("/");
}
