import type { SchemaDraft } from "@cfworker/json-schema";
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { AgentConfigError, messageOf } from "../errors.js";
import { isObject, type JsonSchema, toJsonValue } from "../json.js";
import { compileDecoder } from "./decode-input.js";
import { type LinkedSchema, type LinkOptions, linkSchema } from "./json-schema.js";
import { jsonSchemaProblems } from "./json-schema-problems.js";
import { type Problem, problemLines } from "./schema-problems.js";
import { simplifyRecords, toObjectRoot, toWireSchema } from "./wire-schema.js";
import { zodProblems, zodToJsonSchema } from "./zod-schema.js";

/** A Standard Schema that also gives JSON Schema (zod 4.2 and later do), or plain JSON Schema. */
export type Schema<Input = unknown, Output = unknown> =
  | (StandardSchemaV1<Input, Output> & StandardJSONSchemaV1<Input, Output>)
  | JsonSchema;

/** Type of a value that passed the check of a schema. Plain JSON Schema gives `Record<string, unknown>`. */
export type InferOutput<S extends Schema> = S extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<S> : Record<string, unknown>;

/** Type of a value that a schema takes. Plain JSON Schema gives `Record<string, unknown>`. */
export type InferInput<S extends Schema> = S extends StandardSchemaV1 ? StandardSchemaV1.InferInput<S> : Record<string, unknown>;

/** Outcome of a check. `problems` are lines for the model: path, what was expected, what came. */
export type SchemaCheck<T = unknown> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly string[] };

/** A schema in the two forms that the loop needs. They agree: what `wire` allows, `check` takes. */
export interface CompiledSchema {
  /** JSON Schema for the model. Frozen plain JSON of draft 2020-12 (plain JSON Schema keeps its own draft), without `$schema`. */
  readonly wire: JsonSchema;
  /**
   * Decodes a JSON value, checks it and fills in defaults. It never throws or rejects, does not change its argument, and answers at once unless
   * the schema is asynchronous.
   *
   * Null counts as absent where a property is optional but not nullable.
   */
  readonly check: (input: unknown) => SchemaCheck | Promise<SchemaCheck>;
}

/** What {@link compileSchema} takes besides the schema. */
export interface CompileSchemaOptions {
  /** What the schema belongs to, for errors: `tool pay.inputSchema`. */
  readonly label: string;
  /** The root has to be an object; a union of objects gets `type: "object"` at its root. @default false */
  readonly object?: boolean;
  /** Which side of a schema with transforms is described. An output is checked as it is, without decoding. @default "input" */
  readonly io?: "input" | "output";
}

/**
 * Makes the JSON Schema and the check of a schema.
 *
 * What JSON does not have is given as the nearest JSON and parsed back before the check: a date as date-time text (a date alone is taken too, and
 * a time without offset is UTC), a bigint as text of digits, a set as a list, a map as an object if its keys are text and as a list of pairs if not.
 * Under `z.preprocess` nothing is parsed: it gets the JSON value. A place that may only be `undefined` is left out. Transforms and refinements
 * are not described but checked; "anything" is `{}`.
 * @throws AgentConfigError for a schema that no JSON value can pass (an instance of a class, a function, a symbol, a file, NaN), with label and path;
 * for one that is malformed; and with `object`, for one that does not describe an object.
 */
export function compileSchema(schema: Schema, options: CompileSchemaOptions): CompiledSchema {
  const { label } = options;
  if (!isObject(schema) && typeof schema !== "function") {
    throw new AgentConfigError({ field: label, problem: "must be a Standard Schema (zod, for example) or a JSON Schema object" });
  }
  return isStandard(schema) ? compileStandard(schema, options) : compileJsonSchema(schema, options);
}

type StandardSchema = Exclude<Schema, JsonSchema>;

function isStandard(schema: unknown): schema is StandardSchema {
  return ((typeof schema === "object" && schema !== null) || typeof schema === "function") && "~standard" in schema;
}

function compileStandard(schema: StandardSchema, { label, object = false, io = "input" }: CompileSchemaOptions): CompiledSchema {
  const standard = schema["~standard"];
  const isZod = standard.vendor === "zod";
  const given = describe(schema, label, io);
  const marked = simplifyRecords(object ? toObjectRoot(given, label) : given);
  const wire = toJsonValue(toWireSchema(marked, label)) as JsonSchema;
  const decode = io === "input" ? compileDecoder(link(marked, label, { skipBadPatterns: true }), "standard") : undefined;
  const toProblems = isZod ? zodProblems : standardProblems;
  const settle = (result: StandardSchemaV1.Result<unknown>, input: unknown): SchemaCheck => {
    if (result.issues === undefined) return { ok: true, value: result.value };
    return {
      ok: false,
      problems: problemLines(
        result.issues.flatMap((issue) => toProblems(issue)),
        input,
      ),
    };
  };
  const check = (input: unknown): SchemaCheck | Promise<SchemaCheck> => {
    try {
      const result = standard.validate(decode === undefined ? input : decode(input));
      if (!("then" in result)) return settle(result, input);
      return Promise.resolve(result)
        .then((settled) => settle(settled, input))
        .catch(checkFailed);
    } catch (error) {
      return checkFailed(error);
    }
  };
  return Object.freeze({ wire, check });
}

function describe(schema: StandardSchema, label: string, io: "input" | "output"): JsonSchema {
  const { vendor, jsonSchema } = schema["~standard"];
  if (typeof jsonSchema?.[io] !== "function") {
    const advice = vendor === "zod" ? "Use zod 4.2 or later, and not zod/mini" : "Give JSON Schema instead";
    throw new AgentConfigError({ field: label, problem: `is a schema of ${vendor} that gives no JSON Schema. ${advice}.` });
  }
  try {
    const { $schema, ...json } = vendor === "zod" ? zodToJsonSchema(schema, io) : jsonSchema[io]({ target: "draft-2020-12" });
    return toJsonValue(json) as JsonSchema;
  } catch (cause) {
    throw new AgentConfigError({ field: label, problem: `cannot be turned into JSON Schema: ${messageOf(cause)}`, cause });
  }
}

function standardProblems({ message, path = [] }: StandardSchemaV1.Issue): Problem[] {
  return [{ text: message, path: path.map((segment) => (typeof segment === "object" ? segment.key : segment)) }];
}

function compileJsonSchema(schema: JsonSchema, { label, object = false, io = "input" }: CompileSchemaOptions): CompiledSchema {
  const field = Object.keys(schema).find((name) => isStandard(schema[name]));
  if (field !== undefined) {
    const problem = `is an object with a schema under ${JSON.stringify(field)}, not a schema. Wrap it, with z.object() for example.`;
    throw new AgentConfigError({ field: label, problem });
  }
  const { $schema, ...given } = copyOf(schema, label);
  link(given, label, { draft: draftOf($schema) }); // faults as they were written
  const wire = toJsonValue(object ? toObjectRoot(given, label) : given) as JsonSchema;
  const linked = link(wire, label, { draft: draftOf($schema) });
  const decode = io === "input" ? compileDecoder(linked, "json-schema") : undefined;
  const check = (input: unknown): SchemaCheck => {
    if (input === undefined) return { ok: false, problems: ["expected a value, received nothing"] };
    try {
      const value = decode === undefined ? input : decode(input);
      const problems = jsonSchemaProblems(linked, value);
      // A copy of its own, as other libraries give one: the input is frozen.
      return problems.length === 0 ? { ok: true, value: structuredClone(value) } : { ok: false, problems: problemLines(problems, input) };
    } catch (error) {
      return checkFailed(error);
    }
  };
  return Object.freeze({ wire, check });
}

function copyOf(schema: JsonSchema, label: string): JsonSchema {
  try {
    return toJsonValue(schema) as JsonSchema;
  } catch (cause) {
    throw new AgentConfigError({ field: label, problem: `is not plain JSON: ${messageOf(cause)}`, cause });
  }
}

function link(schema: JsonSchema, label: string, options: LinkOptions): LinkedSchema {
  const linked = linkSchema(schema, options);
  if ("fault" in linked) throw new AgentConfigError({ field: label, problem: linked.fault });
  return linked;
}

function draftOf($schema: unknown): SchemaDraft {
  const [, draft] = /draft-0?(4|6|7)\b|draft\/2019-09/.exec(String($schema)) ?? [];
  if (draft === "4") return "4";
  if (draft !== undefined) return "7"; // the checker knows no draft 6; 7 only adds to it
  return String($schema).includes("2019-09") ? "2019-09" : "2020-12";
}

function checkFailed(error: unknown): SchemaCheck {
  return { ok: false, problems: [`the check itself failed: ${messageOf(error)}`] };
}
