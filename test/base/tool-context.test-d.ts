/** Type tests: a tool that wants a `toolContext` makes it required. The compiler is the test. */
import { Agent, Agents, createAgent, createTool } from "triact";
import { ScriptedModel } from "triact/testing";
import { z } from "zod";

interface Db {
  readonly query: (sql: string) => string;
}

const model = new ScriptedModel([]);
const inputSchema = z.object({ sql: z.string() });
const query = createTool({
  name: "query",
  description: "Queries.",
  inputSchema,
  execute: ({ sql }, { toolContext }: import("triact").ToolCallContext<Db>) => toolContext.query(sql),
});
const plain = createTool({ name: "plain", description: "Plain.", inputSchema, execute: ({ sql }) => sql.length });
const toolContext: Db = { query: (sql) => sql };

createAgent({ model, tools: [plain] });
createAgent({ model, tools: [plain, query], toolContext });
new Agent({ model, tools: [query], toolContext });
Agents.builder().model(model).tools(plain).build();
Agents.builder().model(model).tools(plain, query).toolContext(toolContext).build();
Agents.builder().model(model).toolContext(toolContext).tools(query).build();

// @ts-expect-error: query needs a toolContext
createAgent({ model, tools: [plain, query] });
// @ts-expect-error: and of the right type
createAgent({ model, tools: [query], toolContext: { query: 1 } });
// @ts-expect-error: query needs a toolContext
Agents.builder().model(model).tools(query).build();
// @ts-expect-error: and of the right type
Agents.builder().model(model).tools(query).toolContext({ other: 1 }).build();
// @ts-expect-error: the input has the type of the schema
createTool({ name: "t", description: "", inputSchema, execute: ({ sql }) => sql.toFixed() });
