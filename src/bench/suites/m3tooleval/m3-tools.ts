import { AgentConfigError } from "../../../base/errors.js";
import type { JsonSchema } from "../../../base/json.js";
import { type AgentTool, createTool } from "../../../base/tool.js";
import { reusableTools } from "../../reusable-tools.js";
import type { M3Data, M3Tool } from "./m3-data.js";
import { m3Functions } from "./m3-functions.js";

/**
 * The tools of one domain with the wording of the source.
 * @returns Gives them over fresh state; throws an AgentConfigError for a tool that nobody knows.
 */
export function m3Tools(data: M3Data, domain: string): () => AgentTool[] {
  const over = reusableTools<ReturnType<typeof m3Functions>>((functions) => makeTools(data.tools[domain]?.tools ?? [], functions));
  return () => over(m3Functions(data));
}

function makeTools(tools: readonly M3Tool[], functions: () => ReturnType<typeof m3Functions>): AgentTool[] {
  return tools.map((tool) => {
    const { name } = tool;
    if (functions()[name] === undefined)
      throw new AgentConfigError({ field: "suite m3tooleval.data", problem: `there is no tool ${tool.name}` });
    return createTool({
      name: tool.name,
      description: tool.description,
      inputSchema: inputSchema(tool),
      outputSchema: outputSchema(tool),
      execute: (input) => functions()[name]?.(input as never),
    });
  });
}

function inputSchema({ params }: M3Tool): JsonSchema {
  const properties = params.map(({ name, type, description }) => {
    const schema = name === "shift" ? { anyOf: [{ type: "integer" }, { type: "string", pattern: "^-?[0-9]+$" }] } : typeSchema(type);
    return [name, description === undefined ? schema : { ...schema, description }] as const;
  });
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: params.map(({ name }) => name),
    additionalProperties: false,
  };
}

function outputSchema({ name, returns }: M3Tool): JsonSchema {
  if (name === "calculator") return { anyOf: [{ type: "number" }, { type: "string", description: "why it could not be evaluated" }] };
  return typeSchema(returns);
}

const rowFields: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  flight: { from_location: "string", to_location: "string", date: "string", price: "number" },
  hotel: { location: "string", preferences: "array of string", price_per_night: "number", rating: "number" },
};

/** A type as `tools.json` words it. */
function typeSchema(type: string): JsonSchema {
  const items = type.match(/^array of (.+)$/)?.[1];
  if (items !== undefined) return { type: "array", items: typeSchema(items) };
  if (type.startsWith("array alternating")) return { type: "array", items: { type: ["string", "integer"] } };
  if (type.startsWith("pair")) return { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], minItems: 2, maxItems: 2 };
  if (type === "object of integer") return { type: "object", additionalProperties: { type: "integer" } };
  const fields = rowFields[type];
  if (fields === undefined) return { type };
  const properties = Object.entries(fields).map(([name, fieldType]) => [name, typeSchema(fieldType)] as const);
  return { type: "object", properties: Object.fromEntries(properties), required: Object.keys(fields) };
}
