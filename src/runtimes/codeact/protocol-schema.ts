import type { JsonSchema } from "../../base/json.js";
import type { ResponseFormat } from "../../base/model.js";

/**
 * The protocol as a schema that providers can enforce. Strict forms allow no union at the root and no missing property, so the two messages share one
 * object, and what a message has no use for is null.
 * @param output - Schema of the final answer, where it has a form. Default text.
 */
export function protocolFormat(languages: readonly string[], output: JsonSchema | undefined): ResponseFormat {
  const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: "null" }] });
  const { $defs, ...outputSchema } = output ?? { type: "string" };
  const schema: JsonSchema = {
    type: "object",
    properties: {
      type: { type: "string", enum: ["code", "final"] },
      language: orNull({ type: "string", enum: [...languages] }),
      code: orNull({ type: "string" }),
      output: orNull(outputSchema),
    },
    required: ["type", "language", "code", "output"],
    additionalProperties: false,
    ...($defs === undefined ? undefined : { $defs }),
  };
  return Object.freeze({ name: "step", schema });
}
