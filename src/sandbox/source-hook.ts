/**
 * A module for `--import` that lets Node run our TypeScript source as it stands: imports there name `.js` files, and Node does not look for the `.ts`
 * instead. Packages may be given urls, where Node is not allowed to look for them; what does not end in `.mjs` is CommonJS.
 */
export function sourceHook(urls: Readonly<Record<string, string>> = {}): string {
  const code = `import { registerHooks } from "node:module";
const urls = ${JSON.stringify(urls)};
registerHooks({ resolve: (name, context, next) => {
  if (name in urls) return { url: urls[name], format: /\\.mjs$|^data:/.test(urls[name]) ? "module" : "commonjs", shortCircuit: true };
  const isSource = name.startsWith(".") && context.parentURL?.endsWith(".ts");
  return next(isSource ? name.replace(/\\.js$/, ".ts") : name, context);
} });`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}
