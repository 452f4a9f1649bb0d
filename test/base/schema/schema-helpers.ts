import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import { AgentConfigError } from "../../../src/base/errors.js";
import { type CompiledSchema, compileSchema, type Schema } from "../../../src/base/schema/schema.js";

export const label = "tool t.inputSchema";
export const compile = (schema: Schema): CompiledSchema => compileSchema(schema, { label, object: true });
export const compileAny = (schema: Schema): CompiledSchema => compileSchema(schema, { label });

export function valueFor(schema: Schema, input: unknown): unknown {
  const result = compileAny(schema).check(input);
  if (result instanceof Promise) throw new Error("the check is asynchronous");
  if (!result.ok) throw new Error(result.problems.join("\n"));
  return result.value;
}

export function problemsOf(schema: Schema, input: unknown): readonly string[] {
  const result = compileAny(schema).check(input);
  if (result instanceof Promise) throw new Error("the check is asynchronous");
  return result.ok ? [] : result.problems;
}

export function refusal(run: () => unknown): AgentConfigError {
  try {
    run();
  } catch (error) {
    if (error instanceof AgentConfigError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

export function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const item of Object.values(value)) freeze(item);
    Object.freeze(value);
  }
  return value;
}

interface Fake {
  readonly validate?: StandardSchemaV1.Props["validate"];
  readonly jsonSchema?: StandardJSONSchemaV1.Converter["input"];
}

export function standard({
  validate = (value) => ({ value }),
  jsonSchema = () => ({ type: "object" }),
}: Fake): StandardSchemaV1 & StandardJSONSchemaV1 {
  return { "~standard": { version: 1, vendor: "fake", validate, jsonSchema: { input: jsonSchema, output: jsonSchema } } };
}
