import { isObject, type JsonSchema } from "../../base/json.js";
import type { ResponseFormat } from "../../base/model.js";

/**
 * The protocol as a schema that providers can enforce. Strict forms allow no union at the root and no missing property, so the two messages share one
 * object, and what a message has no use for is null.
 * @param output - Schema of the final answer, where it has a form. Default text.
 */
export function protocolFormat(languages: readonly string[], output: JsonSchema | undefined): ResponseFormat {
  const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: "null" }] });
  const { schema: outputSchema, definitions } = movedFromRoot(output ?? { type: "string" });
  const schema: JsonSchema = Object.freeze({
    type: "object",
    properties: {
      type: { type: "string", enum: ["code", "final"] },
      language: orNull({ type: "string", enum: [...languages] }),
      code: orNull({ type: "string" }),
      output: orNull(outputSchema),
    },
    required: ["type", "language", "code", "output"],
    additionalProperties: false,
    ...definitions,
  });
  return Object.freeze({ name: "step", schema });
}

const DEFINITIONS = ["$defs", "definitions"] as const;

/**
 * A schema that is to stand inside of another one. Its definitions stay at the root, where references look for them; one that refers to itself becomes a
 * definition, too.
 */
function movedFromRoot(document: JsonSchema): { schema: JsonSchema; definitions: JsonSchema } {
  const { $schema: _, $defs, definitions, ...schema } = document;
  const kept = { ...($defs === undefined ? undefined : { $defs }), ...(definitions === undefined ? undefined : { definitions }) };
  if (!refersToRoot(document)) return { schema, definitions: kept };
  const known = isObject($defs) ? $defs : {};
  let name = "Output";
  while (name in known) name = `${name}_`;
  const moved = withReferencesTo(`#/$defs/${name}`, { ...kept, $defs: { ...known, [name]: schema } }) as JsonSchema;
  return { schema: { $ref: `#/$defs/${name}` }, definitions: moved };
}

function isRootReference(name: string, value: unknown): value is string {
  return (
    name === "$ref" && typeof value === "string" && value.startsWith("#") && !DEFINITIONS.some((each) => value.startsWith(`#/${each}/`))
  );
}

function refersToRoot(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(refersToRoot);
  return isObject(schema) && Object.entries(schema).some(([name, value]) => isRootReference(name, value) || refersToRoot(value));
}

function withReferencesTo(target: string, schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((each) => withReferencesTo(target, each));
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema).map(([name, value]): [string, unknown] => [
    name,
    isRootReference(name, value) ? `${target}${value.slice(1)}` : withReferencesTo(target, value),
  ]);
  return Object.fromEntries(entries);
}
