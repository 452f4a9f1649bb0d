import { CodeActRuntime, createTool } from "triact";
import { PyodideExecutor } from "triact/sandbox";
import { say } from "triact/testing";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { pythonType } from "../../src/runtimes/codeact/python-guide.js";
import { build } from "../base/kit.js";

const executor = new PyodideExecutor({ pool: { spareChildren: 0 } });
afterAll(() => executor.dispose());

const code = (source: string) => say(JSON.stringify({ type: "code", language: "python", code: source }));

const price = createTool({
  name: "get-price",
  description: 'The price of an article, as "euro".',
  inputSchema: z.object({ article: z.string().describe("its name"), count: z.int().min(1).default(1) }),
  outputSchema: z.object({ euro: z.number(), note: z.string().optional() }),
  execute: ({ article, count }) => ({ euro: article.length * count }),
});
const list = createTool({
  name: "list",
  description: "All articles.",
  inputSchema: z.object({}),
  execute: () => ["tea", "coffee"],
});

test("a run answers with Python code, whose calls are those of the agent's tools and whose variables stay", {
  timeout: 120_000,
}, async () => {
  const { agent, model } = build(
    [
      code(
        "import asyncio\narticles = await list_()\nprices = await asyncio.gather(*(get_price(article=a, count=2) for a in articles))\nprint(prices)\nlen(prices)",
      ),
      code("__codeact_result = dict(zip(articles, (p['euro'] for p in prices)))"),
    ],
    { runtime: new CodeActRuntime({ executor }), tools: [price, list] },
  );
  const result = await agent.run("What does all cost?");
  expect(result).toMatchObject({ status: "completed", output: { tea: 6, coffee: 12 } });
  expect(model.requests[1]?.messages.at(-1)?.content).toEqual([
    { type: "text", text: `CODE_RESULT: {"result":2,"logs":"[{'euro': 6}, {'euro': 12}]"}` },
  ]);
  expect(
    model.requests[0]?.systemPrompt,
  ).toContain(`You act by writing code. Every reply of yours is one JSON object and nothing else, of one of these two forms:
{"type":"code","language":"python","code":"…"}
{"type":"final","output":"…"}

The code runs in a sandbox without files and network. Languages: python. Top-level \`await\` is allowed. Python's standard library can be imported; there are no other packages. Variables, functions and classes stay for your next code. Do as much as you can in one piece of code: loops, conditions, several calls, \`asyncio.gather\`.

These functions do what you cannot do yourself. They are async, take keyword arguments or one dict, for example \`await name(key=value)\`, and raise a \`ToolError\` that you can catch:
\`\`\`python
async def get_price(*, article: str, count: int = ...) -> TypedDict[{"euro": float, "note": NotRequired[str]}]:
    """The price of an article, as "euro".
    article: its name
    count: minimum: 1, default: 1
    """
async def list_() -> Any:
    """All articles."""
\`\`\`

To answer, set \`__codeact_result\` to the answer in your code: that ends the task, and you will not see it again.`);
  model.assertDone();
});

test.for([
  [{ type: ["string", "null"] }, "str | None"],
  [{ enum: ["a", 1, null, true] }, 'Literal["a", 1, None, True]'],
  [{ type: "array", items: { anyOf: [{ type: "integer" }, { const: "x" }] } }, 'list[int | Literal["x"]]'],
  [{ type: "array", prefixItems: [{ type: "number" }, { type: "boolean" }] }, "tuple[float, bool]"],
  [{ type: "object", additionalProperties: { type: "string" } }, "dict[str, str]"],
  [
    { $defs: { A: { type: "object", properties: { next: { $ref: "#/$defs/A" } } } }, $ref: "#/$defs/A" },
    'TypedDict[{"next": NotRequired[Any]}]',
  ],
  [{}, "Any"],
] as const)("a schema is told as a type of Python: %j", ([schema, type]) => {
  expect(pythonType(schema)).toBe(type);
});
