import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentTool, CodeActRuntime, createTool } from "triact";
import { IsolatedVmExecutor } from "triact/sandbox";
import { say } from "triact/testing";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { projectRoot } from "../../scripts/source-files.ts";
import { schemaType } from "../../src/runtimes/codeact/schema-type.js";
import {
  createToolGuide,
  declarationOf,
  declarationsOf,
  guestFunctions,
  SEARCH_DECLARATIONS,
  searchFunctions,
} from "../../src/runtimes/codeact/tool-guide.js";
import { build, tool } from "../base/kit.js";

/** A type on one line. */
const typeOf = (schema: unknown) => schemaType(schema).replace(/\s+/g, " ");
const ofZod = (schema: z.ZodType) => typeOf(z.toJSONSchema(schema));

const NODE = {
  type: "object",
  properties: { next: { $ref: "#/$defs/Node" }, value: { type: "string" } },
  required: ["value"],
};

/** Every construct of JSON Schema, and its type. */
const TYPES: readonly (readonly [string, unknown, string])[] = [
  ["text", { type: "string" }, "string"],
  ["a number", { type: "number" }, "number"],
  ["an integer", { type: "integer" }, "number"],
  ["a boolean", { type: "boolean" }, "boolean"],
  ["null", { type: "null" }, "null"],
  ["anything", {}, "unknown"],
  ["anything, as true", true, "unknown"],
  ["nothing", false, "never"],
  ["no schema", undefined, "unknown"],
  ["a type that does not exist", { type: "date" }, "unknown"],
  ["a constant", { const: "a" }, '"a"'],
  ["the constant null", { const: null }, "null"],
  ["an enumeration", { enum: ["a", 1, null, 'q"|{'] }, '"a" | 1 | null | "q\\"|{"'],
  ["an empty enumeration", { enum: [] }, "never"],
  ["a union", { anyOf: [{ type: "string" }, { type: "number" }] }, "string | number"],
  ["a union with what it holds twice", { oneOf: [{ type: "integer" }, { type: "number" }] }, "number"],
  ["a union with anything", { anyOf: [{ type: "string" }, {}] }, "unknown"],
  ["several types", { type: ["string", "null"] }, "string | null"],
  ["an object or null", { type: ["object", "null"], properties: { a: { type: "number" } }, required: ["a"] }, "{ a: number; } | null"],
  ["a list", { type: "array", items: { type: "string" } }, "string[]"],
  ["a list of anything", { type: "array" }, "unknown[]"],
  ["a list of lists", { type: "array", items: { type: "array", items: { type: "number" } } }, "number[][]"],
  ["a list of a union", { type: "array", items: { type: ["string", "null"] } }, "(string | null)[]"],
  [
    "a list of objects or null",
    { type: "array", items: { anyOf: [{ type: "object", properties: { a: {} } }, { type: "null" }] } },
    "({ a?: unknown; } | null)[]",
  ],
  ["a list of words with signs in them", { type: "array", items: { enum: ["{", "|"] } }, '("{" | "|")[]'],
  ["a tuple", { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] }, "[string, number]"],
  ["a tuple with more", { type: "array", prefixItems: [{ type: "string" }], items: { type: "number" } }, "[string, ...number[]]"],
  ["a closed tuple", { type: "array", prefixItems: [{ type: "string" }], items: false }, "[string]"],
  ["a tuple as it was written before", { type: "array", items: [{ type: "string" }] }, "[string]"],
  ["an object", { type: "object", properties: { a: { type: "string" }, b: {} }, required: ["a"] }, "{ a: string; b?: unknown; }"],
  ["an object that does not say so", { properties: { a: { type: "string" } } }, "{ a?: string; }"],
  [
    "odd names",
    { properties: { "a-b": {}, "": {}, "1": {}, class: {}, $: {}, 'q"': {} } },
    '{ "1"?: unknown; "a-b"?: unknown; ""?: unknown; class?: unknown; $?: unknown; "q\\""?: unknown; }',
  ],
  ["an empty object", { type: "object", properties: {}, additionalProperties: false }, "{}"],
  ["an object without properties", { type: "object", properties: {} }, "{}"],
  ["any object", { type: "object" }, "Record<string, unknown>"],
  ["a record", { type: "object", additionalProperties: { type: "number" } }, "Record<string, number>"],
  [
    "a record of known names",
    { type: "object", propertyNames: { enum: ["a", "b"] }, additionalProperties: { type: "number" }, required: ["a", "b"] },
    'Record<"a" | "b", number>',
  ],
  [
    "a record of some known names",
    { type: "object", propertyNames: { enum: ["a", "b"] }, additionalProperties: { type: "number" } },
    'Partial<Record<"a" | "b", number>>',
  ],
  [
    "an object with further names",
    { type: "object", properties: { a: { type: "string" } }, additionalProperties: { type: "number" } },
    "{ a?: string; [name: string]: unknown; }",
  ],
  ["an intersection", { allOf: [{ properties: { a: {} } }, { properties: { b: {} } }] }, "{ a?: unknown; } & { b?: unknown; }"],
  ["an intersection with a union", { allOf: [{ type: ["string", "null"] }, { type: "string" }] }, "(string | null) & string"],
  [
    "an object of which something is required",
    { type: "object", properties: { a: {}, b: {} }, anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    "{ a?: unknown; b?: unknown; }",
  ],
  ["a refined text", { type: "string", allOf: [{ pattern: "^a" }, { pattern: "b$" }] }, "string"],
  ["a definition", { $ref: "#/$defs/A", $defs: { A: { type: "number" } } }, "number"],
  ["a definition with signs in its name", { $ref: "#/$defs/a~1b%20c~0", $defs: { "a/b c~": { type: "number" } } }, "number"],
  ["a place in a list", { $ref: "#/anyOf/0", anyOf: [{ type: "number" }] }, "number"],
  ["a definition that is not there", { $ref: "#/$defs/A" }, "unknown"],
  ["a definition with a wrong escape", { $ref: "#/$defs/100%" }, "unknown"],
  ["a definition of elsewhere", { $ref: "https://example.com/a.json" }, "unknown"],
  ["a name of every object", { $ref: "#/constructor" }, "unknown"],
  ["recursion", { $ref: "#/$defs/Node", $defs: { Node: NODE } }, "{ next?: unknown; value: string; }"],
  [
    "recursion by the root",
    { type: "object", properties: { children: { type: "array", items: { $ref: "#" } } } },
    "{ children?: { children?: unknown[]; }[]; }",
  ],
];

describe("a JSON Schema is a type", () => {
  test.each(TYPES)("for %s", (_, schema, expected) => expect(typeOf(schema)).toBe(expected));

  test("as zod writes it", () => {
    const kinds = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("a"), n: z.int().positive() }),
      z.object({ kind: z.literal("b") }),
    ]);
    expect(ofZod(z.array(kinds))).toBe('({ kind: "a"; /** integer, exclusiveMinimum: 0 */ n: number; } | { kind: "b"; })[]');
    expect(ofZod(z.record(z.enum(["x", "y"]), z.string().nullable()))).toBe('Record<"x" | "y", string | null>');
    expect(ofZod(z.tuple([z.string()], z.number()))).toBe("[string, ...number[]]");
    expect(ofZod(z.object({ at: z.email(), id: z.string().min(2).regex(/^a/).optional() }))).toBe(
      '{ /** format: "email" */ at: string; /** pattern: "^a", minLength: 2 */ id?: string; }',
    );
    const Tree = z.object({
      name: z.string(),
      get children() {
        return z.array(Tree);
      },
    });
    expect(ofZod(Tree)).toBe("{ name: string; children: { name: string; children: unknown[]; }[]; }");
  });

  test("with comments that cannot be ended from inside", () => {
    const schema = { properties: { a: { type: "string", description: "One.\n  Two.\rThree.\u2028Four. */ } evil(); /*", default: "*/" } } };
    expect(schemaType(schema)).toBe('{\n  /** One. Two. Three. Four. *\\/ } evil(); /* — default: "*\\/" */\n  a?: string;\n}');
  });

  test("that ends, also when definitions use each other without end", () => {
    const names = Array.from({ length: 30 }, (_, index) => `D${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }]));
    const $defs = Object.fromEntries(names.map((name) => [name, { type: "object", properties }]));
    expect(schemaType({ $ref: "#/$defs/D0", $defs }).length).toBeLessThan(25_000);
    const chain = Object.fromEntries(
      names.map((name, index) => [name, { anyOf: [{ $ref: `#/$defs/D${index + 1}` }, { $ref: `#/$defs/D${index + 1}` }] }]),
    );
    expect(schemaType({ $ref: "#/$defs/D0", $defs: chain })).toBe("unknown");
    let deep: object = { type: "string" };
    for (let level = 0; level < 50; level++) deep = { type: "object", properties: { a: deep } };
    expect(schemaType(deep)).toContain("a?: unknown;");
  });
});

const named = (...names: string[]) => guestFunctions(names.map((name) => tool(name, () => 1))).map(({ name }) => name);

describe("a tool is a function", () => {
  test.each<[string, string[], string[]]>([
    ["by its own name", ["add"], ["add"]],
    ["without dashes", ["get-user-name"], ["get_user_name"]],
    ["that does not take a name that another tool has", ["a-b", "a_b", "a-b_"], ["a_b_", "a_b", "a_b__"]],
    ["not named as a word of the language", ["delete", "await", "None", "class"], ["delete_", "await_", "None_", "class_"]],
    [
      "not named as what is there already",
      ["parseInt", "Intl", "tools", "console", "toString"],
      ["parseInt_", "Intl_", "tools_", "console_", "toString_"],
    ],
    ["not named as the sandbox's own", ["__codeact_result", "__proto__", "_x"], ["_codeact_result", "_proto__", "_x"]],
    ["even with no name to speak of", ["_", "__", "_-", "___"], ["_", "tool", "tool_", "tool__"]],
  ])("%s", (_, names, functions) => expect(named(...names)).toEqual(functions));

  test("with its description, its types, and whether it ends the task", () => {
    const submit = createTool({
      name: "hand-in",
      description: "Hands */ in.\nFor good.",
      inputSchema: z.object({ answer: z.string().describe("In words.") }),
      outputSchema: z.object({ ok: z.boolean() }),
      lifecycle: { completesRun: true },
      execute: () => ({ ok: true }),
    }) as AgentTool;
    const [submitted] = guestFunctions([submit]);
    expect(submitted && declarationOf(submitted)).toBe(
      "/** Hands *\\/ in. For good. Ends the task when it succeeds. */\ndeclare function hand_in(input: {\n  /** In words. */\n  answer: string;\n}): Promise<{\n  ok: boolean;\n}>;",
    );
    const [free] = guestFunctions([tool("ping", () => 1)]);
    expect(free && declarationOf(free)).toBe("/** Does ping. */\ndeclare function ping(input?: Record<string, unknown>): Promise<any>;");
  });

  test("whose declaration is valid TypeScript", { timeout: 60_000 }, () => {
    const folder = mkdtempSync(join(tmpdir(), "triact-guide-"));
    const schemas = TYPES.map(([, schema]) => schema).filter((schema) => schema !== undefined && isUsable(schema));
    const inputs = schemas.map((schema, index) =>
      createTool({
        name: `tool-${index}`,
        description: "Odd. */ }",
        inputSchema: { type: "object", properties: { value: schema } },
        execute: () => 1,
      }),
    );
    const words = ["delete", "await", "__proto__", "_", "__", "string", "parseInt", "None", "get"].map((name) => tool(name, () => 1));
    // References look for definitions at the root, so whole types are checked as results.
    const results = schemas.map((schema, index) => `declare function result_${index}(): Promise<${schemaType(schema)}>;`);
    const declarations = [declarationsOf(guestFunctions([...(inputs as AgentTool[]), ...words])), ...results].join("\n");
    const use =
      'void tool_0({ value: "a" });\nvoid searchTools("a").then(([found]) => found?.name);\nvoid tools["x"]?.();\nvoid callTool("x", {});\n';
    writeFileSync(join(folder, "tools.ts"), `${declarations}\n${use}`);
    try {
      const args = [
        "--noEmit",
        "--strict",
        "--target",
        "es2024",
        "--types",
        "",
        "--moduleDetection",
        "force",
        "--pretty",
        "false",
        "tools.ts",
      ];
      execFileSync(process.execPath, [join(projectRoot, "node_modules/typescript/bin/tsc"), ...args], { cwd: folder, encoding: "utf8" });
    } catch (error) {
      expect((error as { stdout: string }).stdout).toBe("");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/** Whether a tool may have it: the others are seen when a server sends them. */
function isUsable(schema: unknown): boolean {
  try {
    createTool({ name: "a", description: "A.", inputSchema: { type: "object", properties: { value: schema } }, execute: () => 1 });
    return true;
  } catch {
    return false;
  }
}

/** A thousand tools about a hundred things, and one that ends the task. */
function thousand(): AgentTool[] {
  const verbs = ["get", "list", "create", "update", "delete", "archive", "share", "export", "watch", "count"];
  const many = Array.from({ length: 999 }, (_, index) => {
    const [verb, thing] = [verbs[index % 10], `thing${Math.floor(index / 10)}`];
    const inputSchema = { type: "object", properties: { id: { type: "string", description: `Id of the ${thing}.` } }, required: ["id"] };
    return createTool({
      name: `${verb}_${thing}`,
      description: `Will ${verb} a ${thing}.`,
      inputSchema,
      execute: () => `${verb} ${thing}`,
    });
  });
  return [...many, tool("submit", () => "ok", { completesRun: true })] as AgentTool[];
}

describe("the guide", () => {
  const functions = guestFunctions(thousand());

  test("says so when there is nothing to tell of", () => {
    expect(createToolGuide([], { maxChars: 500 })).toEqual({
      text: "There are no functions besides the language's own.",
      isCompact: false,
    });
  });

  test("tells all declarations that fit", () => {
    const few = functions.slice(0, 3);
    const all = few.map(declarationOf).join("\n");
    expect(createToolGuide(few, { maxChars: all.length })).toEqual({ text: `\`\`\`ts\n${all}\n\`\`\``, isCompact: false });
    expect(createToolGuide(few, { maxChars: all.length - 1 }).isCompact).toBe(true);
  });

  test.each([500, 2_000, 16_000])("of a thousand tools stays below %i characters, and a few words", (maxChars) => {
    const { text, isCompact } = createToolGuide(functions, { maxChars });
    expect(isCompact).toBe(true);
    const [, declarations = "", told = ""] = /^```ts\n(.*)\n```(.*)$/s.exec(text) ?? [];
    const names = /first: (.*)\.$/m.exec(told)?.[1] ?? "";
    expect(declarations.length + names.length).toBeLessThanOrEqual(maxChars);
    expect(text.length).toBeLessThanOrEqual(maxChars + 150);
    expect(declarations.startsWith(SEARCH_DECLARATIONS)).toBe(true);
    expect(declarations).toContain("Ends the task when it succeeds.");
    const shown = [...declarations.matchAll(/^declare function (?!searchTools|describeTool)/gm)].length;
    const count = Number(/And (\d+) more, to be found with searchTools\.$/.exec(text)?.[1]);
    expect(shown + (names === "" ? 0 : names.split(", ").length) + count).toBe(1_000);
  });

  test("names a tool that ends the task even if its declaration is too long", () => {
    const [long] = guestFunctions([
      createTool({
        name: "end",
        description: "x".repeat(1_000),
        inputSchema: { type: "object" },
        lifecycle: { completesRun: true },
        execute: () => 1,
      }) as AgentTool,
    ]);
    expect(createToolGuide(long === undefined ? [] : [long], { maxChars: 500 }).text).toMatch(
      /Further functions, to be read with describeTool first: end\.$/,
    );
  });

  test.each<[string, string]>([
    ["export thing42", "export_thing42"],
    ["THING7 archive", "archive_thing7"],
    ["please, archives of thing7?", "archive_thing7"],
    ["submit", "submit"],
  ])("%j finds %s first", (query, name) => expect(searchFunctions(functions, query)[0]?.name).toBe(name));

  test("finds ten at most, and nothing for words that nothing has", () => {
    expect(searchFunctions(functions, "get")).toHaveLength(10);
    expect(searchFunctions(functions, "zebra")).toEqual([]);
    expect(searchFunctions(functions, "")).toEqual([]);
  });
});

const executor = new IsolatedVmExecutor({ isolation: "in-process" });
afterAll(() => executor.dispose());
const code = (source: string) => say(JSON.stringify({ type: "code", code: source }));

describe("code among a thousand tools", () => {
  test("looks for one, reads it, and calls it", async () => {
    const source = `const [found] = await searchTools("watch thing55");
const [same] = await searchTools({ query: "watch thing55" });
const declaration = await describeTool(found.name);
return [same.name, declaration, await describeTool({ name: found.name }) === declaration, await tools[found.name]({ id: "1" })]`;
    const { agent, model } = build([code(source)], { runtime: new CodeActRuntime({ executor }), tools: thousand() });
    const { output } = await agent.run("?");
    const declaration =
      "/** Will watch a thing55. */\ndeclare function watch_thing55(input: {\n  /** Id of the thing55. */\n  id: string;\n}): Promise<any>;";
    expect(output).toEqual(["watch_thing55", declaration, true, "watch thing55"]);
    expect(model.requests[0]?.systemPrompt?.length).toBeLessThan(18_000);
  });

  test("is told of a name that there is not", async () => {
    const { agent } = build([code("return await describeTool('zebra').catch((error) => error.message)")], {
      runtime: new CodeActRuntime({ executor }),
      tools: thousand(),
    });
    expect((await agent.run("?")).output).toBe("There is no function named zebra. Look for one with searchTools.");
  });

  test("calls tools whose names are taken under their other names", async () => {
    const tools = [tool("parseInt", () => "a"), tool("a-b", () => "b"), tool("delete", () => "c")];
    const { agent } = build([code("return [await parseInt_(), await a_b({}), await callTool('delete_')]")], {
      runtime: new CodeActRuntime({ executor }),
      tools,
    });
    expect((await agent.run("?")).output).toEqual(["a", "b", "c"]);
  });
});
