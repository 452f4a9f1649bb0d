import { CodeActRuntime, type JsonSchema, toStrictSchema } from "triact";
import { IsolatedVmExecutor } from "triact/sandbox";
import { say } from "triact/testing";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { protocolFormat } from "../../src/runtimes/codeact/protocol-schema.js";
import { build } from "../base/kit.js";

const LANGUAGES = ["javascript", "typescript"];
const formatOf = (output?: z.ZodType) => protocolFormat(LANGUAGES, output && (z.toJSONSchema(output) as JsonSchema)).schema;

/** What OpenAI's strict mode refuses, with the path. */
function offences(schema: unknown, path = "#"): string[] {
  if (Array.isArray(schema)) return schema.flatMap((each, index) => offences(each, `${path}/${index}`));
  if (typeof schema !== "object" || schema === null) return [];
  const { type, properties, required, additionalProperties, $ref, ...rest } = schema as Record<string, unknown>;
  const names = Object.keys((properties as object | undefined) ?? {});
  const isObjectType = type === "object" || (Array.isArray(type) && type.includes("object"));
  const bad = [
    ...(isObjectType && additionalProperties !== false ? ["additionalProperties"] : []),
    ...(isObjectType && JSON.stringify(required) !== JSON.stringify(names) ? ["required"] : []),
    ...["oneOf", "allOf", "not", "if", "default", "prefixItems", "$schema"].filter((keyword) => keyword in rest),
    ...(path === "#" && (type !== "object" || "anyOf" in rest) ? ["root"] : []),
    ...(typeof $ref === "string" && !/^#(\/\$defs\/[^/]+)?$/.test($ref) ? [`$ref ${$ref}`] : []),
  ].map((problem) => `${path}: ${problem}`);
  return [...bad, ...Object.entries(schema).flatMap(([name, value]) => (name === "enum" ? [] : offences(value, `${path}/${name}`)))];
}

const Tree = z.object({
  name: z.string(),
  get children() {
    return z.array(Tree);
  },
});
const Shared = z.object({ id: z.int().min(1) }).meta({ id: "Output" });

const OUTPUTS: readonly [string, z.ZodType | undefined, readonly unknown[]][] = [
  ["text", undefined, ["a"]],
  ["an object", z.object({ total: z.number(), note: z.string().optional() }), [{ total: 1, note: null }]],
  ["a list", z.array(z.string()), [["a"], []]],
  ["a union", z.union([z.number(), z.object({ a: z.literal("x") })]), [1, { a: "x" }]],
  ["null or a number", z.number().nullable(), [1]],
  ["a tree", Tree, [{ name: "a", children: [{ name: "b", children: [] }] }]],
  [
    "a tree with a definition of the same name",
    z.object({ tree: Tree, shared: Shared }),
    [{ tree: { name: "a", children: [] }, shared: { id: 1 } }],
  ],
];

describe("the protocol as a schema", () => {
  test("has two messages in one object", () => {
    expect(protocolFormat(LANGUAGES, undefined)).toEqual({
      name: "step",
      schema: {
        type: "object",
        properties: {
          type: { type: "string", enum: ["code", "final"] },
          language: { anyOf: [{ type: "string", enum: LANGUAGES }, { type: "null" }] },
          code: { anyOf: [{ type: "string" }, { type: "null" }] },
          output: { anyOf: [{ type: "string" }, { type: "null" }] },
        },
        required: ["type", "language", "code", "output"],
        additionalProperties: false,
      },
    });
  });

  test.each(OUTPUTS)("has a strict form, as OpenAI wants it, when the answer is %s", (_, output, answers) => {
    const schema = formatOf(output);
    const strict = toStrictSchema(schema);
    expect(offences(strict)).toEqual([]);
    for (const form of [schema, strict as JsonSchema]) {
      const validator = z.fromJSONSchema(JSON.parse(JSON.stringify(form)));
      const accepts = (message: object) => validator.safeParse(message).success;
      expect(accepts({ type: "code", language: "javascript", code: "1", output: null })).toBe(true);
      for (const answer of answers) {
        // The plain form has optional properties, which are never null.
        const given = form === schema ? JSON.parse(JSON.stringify(answer), (__, value) => value ?? undefined) : answer;
        expect(accepts({ type: "final", language: null, code: null, output: given }), JSON.stringify(answer)).toBe(true);
      }
      expect(accepts({ type: "final", language: null, code: null })).toBe(false);
      expect(accepts({ type: "code", language: "python", code: "1", output: null })).toBe(false);
      expect(accepts({ type: "final", language: null, code: null, output: { other: 1 } })).toBe(false);
      expect(accepts({ type: "code", language: null, code: "1", output: null, more: 1 })).toBe(false);
    }
  });

  test.each<[string, z.ZodType]>([
    ["a tuple", z.tuple([z.string(), z.number()])],
    ["a record", z.record(z.string(), z.number())],
    ["anything", z.any()],
  ])("has no strict form when the answer is %s, and is sent as it is", (_, output) => {
    expect(toStrictSchema(formatOf(output))).toBeUndefined();
  });

  test("is one object for a whole run, so that its strict form is made once", async () => {
    const turns = [
      say('{"type":"code","language":null,"code":"1","output":null}'),
      say('{"type":"final","language":null,"code":null,"output":"ok"}'),
    ];
    const { agent, model } = buildWith(turns, { protocol: "schema" });
    expect(await agent.run("?")).toMatchObject({ status: "completed", output: "ok", iterations: 2 });
    const [first, second] = model.requests.map(({ responseFormat }) => responseFormat);
    expect(first).toBe(second);
  });
});

const executor = new IsolatedVmExecutor({ isolation: "in-process" });
afterAll(() => executor.dispose());

function buildWith(turns: Parameters<typeof build>[0], options: object, more: Parameters<typeof build>[1] = {}, structuredOutput = true) {
  const { model } = build(turns);
  const capable = Object.assign(model, { capabilities: { structuredOutput } });
  return { ...build([], { model: capable, runtime: new CodeActRuntime({ executor, ...options }), ...more }), model };
}

describe("the option protocol", () => {
  const final = [say('{"type":"final","output":"ok"}')];

  test.each<[string, boolean, boolean]>([
    ["auto", true, true],
    ["auto", false, false],
    ["prompt", true, false],
    ["prompt", false, false],
    ["schema", true, true],
  ])("%s, where a provider enforces schemas: %s, sends one: %s", async (protocol, structuredOutput, sent) => {
    const { agent, model } = buildWith(final, { protocol }, {}, structuredOutput);
    expect((await agent.run("?")).output).toBe("ok");
    expect(model.requests[0]?.responseFormat !== undefined).toBe(sent);
  });

  test("prompt still tells the form of the answer", async () => {
    const output = z.object({ total: z.number() });
    const { agent, model } = buildWith([say('{"type":"final","output":{"total":4}}')], { protocol: "prompt" }, { output, tools: [] });
    expect((await agent.run("?")).output).toEqual({ total: 4 });
    expect(model.requests[0]).not.toHaveProperty("responseFormat");
    expect(model.requests[0]?.systemPrompt).toMatch(/The answer has to be of this type:\n```ts\n\{\n {2}total: number;\n\}\n```$/);
  });
});
