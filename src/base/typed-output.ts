import { AgentConfigError } from "./errors.js";
import { isObject, type JsonSchema } from "./json.js";
import type { ResponseFormat } from "./model.js";
import { modelTexts } from "./model-texts.js";
import { compileSchema, type Schema, type SchemaCheck } from "./schema/schema.js";
import { type AgentTool, registerTool } from "./tool.js";

/** Name of the tool by which a model gives a typed answer. */
export const OUTPUT_TOOL = "final_answer";

/** Name of the one argument, where the answer is no object. */
const WRAPPED = "answer";

/**
 * The schema that a run's output has to fit, in the forms that models are given it: a completion tool that nobody forces them to call, or the
 * provider's own enforcement, which would keep a model from calling tools.
 */
export class TypedOutput {
  /** Ends the run with its argument as output. */
  readonly tool: AgentTool;
  readonly responseFormat: ResponseFormat;
  /** What an answer has to fit. */
  readonly schema: JsonSchema;
  readonly #check: (value: unknown) => SchemaCheck | Promise<SchemaCheck>;
  readonly #isWrapped: boolean;
  readonly #isText: boolean;

  /** @throws AgentConfigError for a schema that cannot be turned into JSON Schema. */
  constructor(schema: Schema) {
    const { wire, check } = compileSchema(schema, { label: "output" });
    this.schema = wire;
    this.#check = check;
    this.#isWrapped = wire["type"] !== "object";
    this.#isText = wire["type"] === "string";
    const inputSchema = this.#isWrapped ? wrap(wire) : wire;
    this.responseFormat = Object.freeze({ name: "output", schema: inputSchema });
    this.tool = registerTool({
      name: OUTPUT_TOOL,
      description: modelTexts.outputToolDescription,
      inputSchema,
      lifecycle: Object.freeze({ completesRun: true }),
      checkInput: (input) => check(this.unwrap(input)),
      execute: () => "Accepted.",
    });
  }

  /** The answer in the arguments of the tool, or in the JSON that the provider enforced. */
  unwrap(value: unknown): unknown {
    return this.#isWrapped && isObject(value) ? value[WRAPPED] : value;
  }

  /** Checks a value. What comes out is the run's output. */
  async check(value: unknown): Promise<SchemaCheck> {
    return this.#check(value);
  }

  /** Checks a text that should hold the answer: as JSON, as JSON in a code block, or as it is where the schema wants text. */
  async checkText(text: string): Promise<SchemaCheck> {
    const value = parseJson(text) ?? parseJson(/```(?:json)?\s*\n(.*?)\n\s*```/s.exec(text)?.[1]);
    if (value !== undefined) {
      const given = this.#isWrapped && isObject(value.json) && WRAPPED in value.json ? this.unwrap(value.json) : value.json;
      const check = await this.#check(given);
      if (check.ok || !this.#isText) return check;
    }
    return this.#isText ? this.#check(text) : { ok: false, problems: ["it is not JSON"] };
  }
}

function parseJson(text: string | undefined): { readonly json: unknown } | undefined {
  try {
    return text === undefined ? undefined : { json: JSON.parse(text) };
  } catch {
    return undefined; // not JSON, which is what was asked
  }
}

/** Tools take objects. Definitions stay at the root, where references look for them. */
function wrap({ $defs, ...schema }: JsonSchema): JsonSchema {
  const root = { type: "object", properties: { [WRAPPED]: withMovedRoot(schema) }, required: [WRAPPED], additionalProperties: false };
  return Object.freeze($defs === undefined ? root : { ...root, $defs: withMovedRoot($defs) });
}

function withMovedRoot(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withMovedRoot);
  if (!isObject(schema)) return schema;
  const moved = Object.entries(schema).map(([name, value]): [string, unknown] => {
    const isReference = name === "$ref" && typeof value === "string" && value.startsWith("#") && !value.startsWith("#/$defs/");
    return [name, isReference ? `#/properties/${WRAPPED}${value.slice(1)}` : withMovedRoot(value)];
  });
  return Object.fromEntries(moved);
}

/**
 * The schema of a configuration, compiled.
 * @throws AgentConfigError when it cannot be used, or when a tool has the name of the one that it needs.
 */
export function createTypedOutput(schema: Schema | undefined, toolNames: readonly string[]): TypedOutput | undefined {
  if (schema === undefined) return undefined;
  if (toolNames.includes(OUTPUT_TOOL)) {
    throw new AgentConfigError({
      field: "tools",
      problem: `a tool named ${OUTPUT_TOOL} is not allowed together with output, which brings its own`,
    });
  }
  return new TypedOutput(schema);
}
