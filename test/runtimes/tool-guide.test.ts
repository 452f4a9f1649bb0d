import { type AgentTool, createTool } from "triact";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { schemaType } from "../../src/runtimes/codeact/schema-type.js";
import { createToolGuide, declarationOf, guestFunctions, searchFunctions } from "../../src/runtimes/codeact/tool-guide.js";
import { runTsc } from "../package/build-package.ts";
import { temporaryFolder } from "../package/temporary-folder.ts";

function tool(name: string, more: Partial<Parameters<typeof createTool>[0]> = {}): AgentTool {
  return createTool({
    name,
    description: `Does ${name}.`,
    inputSchema: { type: "object" },
    execute: () => 1,
    ...more,
  } as never) as AgentTool;
}

const Tree = z.object({
  name: z.string(),
  get children() {
    return z.array(Tree).optional();
  },
});
const shapes = z.object({
  plain: z.string(),
  optional: z.number().optional(),
  nullable: z.boolean().nullable(),
  literal: z.literal("a"),
  choice: z.enum(["x", "y"]),
  union: z.union([z.string(), z.object({ n: z.int() })]),
  list: z.array(z.union([z.string(), z.null()])),
  tuple: z.tuple([z.string(), z.number()]),
  record: z.record(z.string(), z.number()),
  date: z.date(),
  anything: z.unknown(),
  "odd-name": z.string().describe("It ends */ here\nand goes on"),
  bounded: z.number().min(1).max(9).default(3),
  tree: Tree,
});

describe("a JSON Schema as a type", () => {
  test.each<[string, unknown, string]>([
    ["text", { type: "string" }, "string"],
    ["an integer", { type: "integer" }, "number"],
    ["nothing", { type: "null" }, "null"],
    ["anything", {}, "unknown"],
    ["never", false, "never"],
    ["a constant", { const: { a: 1 } }, '{"a":1}'],
    ["an enumeration", { enum: ["a", 1, null] }, '"a" | 1 | null'],
    ["a union", { anyOf: [{ type: "string" }, { type: "number" }, { type: "string" }] }, "string | number"],
    ["several types", { type: ["string", "null"] }, "string | null"],
    ["a list of a union", { type: "array", items: { oneOf: [{ type: "string" }, { type: "number" }] } }, "(string | number)[]"],
    ["a tuple", { prefixItems: [{ type: "string" }, {}], type: "array" }, "[string, unknown]"],
    [
      "an intersection",
      {
        allOf: [
          { type: "object", properties: { a: {} } },
          { type: "object", properties: { b: {} } },
        ],
      },
      "{\n  a?: unknown;\n} & {\n  b?: unknown;\n}",
    ],
    ["a record", { type: "object", additionalProperties: { type: "number" } }, "Record<string, number>"],
    ["an empty object", { type: "object", properties: {} }, "{}"],
    ["a reference", { $ref: "#/$defs/a", $defs: { a: { type: "string" } } }, "string"],
    ["a reference to itself", { type: "object", properties: { self: { $ref: "#" } } }, "{\n  self?: {\n    self?: unknown;\n  };\n}"],
    ["a reference that leads nowhere", { $ref: "#/$defs/none" }, "unknown"],
  ])("%s", (_, schema, type) => {
    expect(schemaType(schema)).toBe(type);
  });
});

describe("declarations", () => {
  test("are TypeScript, whatever the schema", { timeout: 60_000 }, async () => {
    const odd = ["delete", "read-file", "read_file", "console", "__proto__", "constructor"].map((name) => tool(name));
    const functions = guestFunctions([tool("shapes", { inputSchema: shapes, outputSchema: shapes, description: "Ends */ here." }), ...odd]);
    const calls =
      'const answer = await shapes({ plain: "", nullable: null, literal: "a", choice: "x", union: { n: 1 }, list: [null], tuple: ["", 1], record: {}, date: "", anything: 1, "odd-name": "", tree: { name: "" } });\nconst text: string = answer.plain;\nexport { text };\n';
    const folder = temporaryFolder({ "guide.ts": `${functions.map(declarationOf).join("\n")}\n${calls}` });
    expect(await runTsc(["--noEmit", "--strict", "--target", "esnext", "--module", "esnext", "guide.ts"], folder)).toEqual({
      ok: true,
      output: "",
    });
  });

  test("say in words what a type cannot", () => {
    const text = declarationOf({ name: "shapes", tool: tool("shapes", { inputSchema: shapes, lifecycle: { completesRun: true } }) });
    expect(text).toContain("/** Does shapes. Ends the task when it succeeds. */");
    expect(text).toContain('  /** It ends *\\/ here and goes on */\n  "odd-name": string;');
    expect(text).toContain("/** minimum: 1, maximum: 9, default: 3 */\n  bounded?: number;");
  });

  test("let a function without needed arguments be called without any", () => {
    expect(declarationOf({ name: "now", tool: tool("now") })).toContain("declare function now(input?: {}): Promise<any>;");
  });
});

test("names that code cannot use are changed, each into another one", () => {
  const names = ["read-file", "read_file", "delete", "delete_", "console", "tools", "None", "__proto__", "_ok", "add"];
  expect(guestFunctions(names.map((name) => tool(name))).map(({ name }) => name)).toEqual([
    "read_file",
    "read_file_",
    "delete_",
    "delete__",
    "console_",
    "tools_",
    "None_",
    "_proto__",
    "_ok",
    "add",
  ]);
});

describe("a guide", () => {
  const many = guestFunctions([
    ...Array.from({ length: 1_000 }, (_, index) => tool(`task_${index}`, { description: `Handles invoices of kind ${index}.` })),
    tool("finish", { lifecycle: { completesRun: true } }),
  ]);

  test("holds everything while it fits", () => {
    expect(createToolGuide([], { maxChars: 500 })).toEqual({
      text: "There are no functions besides the language's own.",
      isCompact: false,
    });
    const { text, isCompact } = createToolGuide(many.slice(0, 20), { maxChars: 16_000 });
    expect([text.match(/declare function task_/g)?.length, isCompact]).toEqual([20, false]);
  });

  test("of a thousand tools stays within its limit, shows what ends the task, and says how to find the rest", () => {
    const { text, isCompact } = createToolGuide(many, { maxChars: 4_000 });
    expect(isCompact).toBe(true);
    expect(text.length).toBeLessThan(4_200);
    for (const part of [
      "declare function finish(",
      "declare function searchTools(",
      "declare function describeTool(",
      "declare function task_0(",
    ])
      expect(text).toContain(part);
    const shown = text.match(/declare function task_/g)?.length ?? 0;
    const named = text.match(/describeTool first: ([^.]*)\./)?.[1]?.split(", ").length ?? 0;
    expect(text).toContain(`And ${1_000 - shown - named} more, to be found with searchTools.`);
  });

  test("leaves functions that can be found by words of names and descriptions", () => {
    const functions = guestFunctions([
      tool("sendMail", { description: "Sends a letter." }),
      tool("book_flight", { description: "Books a seat to fly." }),
      ...many.slice(0, 50).map(({ tool: each }) => each),
    ]);
    expect(searchFunctions(functions, "mail").map(({ name }) => name)).toEqual(["sendMail"]);
    expect(searchFunctions(functions, "fly to Oslo, book it").at(0)).toEqual({ name: "book_flight", description: "Books a seat to fly." });
    expect(searchFunctions(functions, "invoices")).toHaveLength(10);
    expect(searchFunctions(functions, "")).toEqual([]);
  });
});
