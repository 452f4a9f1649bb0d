/** Builds the script and the style of the benchmark's HTML report; packages that it uses end up inside. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { projectRoot } from "./source-files.ts";

const NOTICE = `Contains Observable Plot (https://observablehq.com/plot, (c) Observable, Inc.) and D3 (https://d3js.org, (c) Mike Bostock), ISC License:
Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided that the above copyright notice and this permission notice appear in all copies.
THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.`;

/** The parts of the page, as the report takes them. */
export async function buildPage(): Promise<{ script: string; style: string }> {
  const folder = join(projectRoot, "src/bench-page");
  const bundle = await rolldown({
    input: join(folder, "main.ts"),
    resolve: { extensionAlias: { ".js": [".ts", ".js"] } },
    platform: "browser",
  });
  const { output } = await bundle.generate({ format: "iife", minify: true });
  await bundle.close();
  return { script: `/* ${NOTICE} */\n${output[0].code}`, style: readFileSync(join(folder, "page.css"), "utf8") };
}

/** The same as a module that exports `script` and `style`. */
export async function buildPageModule(): Promise<string> {
  const { script, style } = await buildPage();
  return `export const script = ${JSON.stringify(script)};\nexport const style = ${JSON.stringify(style)};\n`;
}
