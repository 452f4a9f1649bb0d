import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (file: string) => fileURLToPath(new URL(`./src/${file}`, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^triact$/, replacement: source("index.ts") },
      { find: /^triact\/bench$/, replacement: source("bench.ts") },
      { find: /^triact\/sandbox$/, replacement: source("sandbox/index.ts") },
      { find: /^triact\/testing$/, replacement: source("testing.ts") },
    ],
  },
  test: {
    include: ["test/**/*.test.ts"],
    maxWorkers: 2,
    testTimeout: 30_000, // properties on a busy machine; nothing waits for this long
    coverage: { include: ["src/**/*.ts"] },
  },
});
