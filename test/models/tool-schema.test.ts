import { createAgent, createTool } from "triact";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fixture, type Protocol, protocols } from "./kit.js";
import { startServer, whole } from "./server.js";

describe.each(Object.keys(protocols) as Protocol[])("%s", (protocol) => {
  const schemaOf = async (inputSchema: object) => {
    const server = await startServer(whole(protocols[protocol].blocks(fixture(protocol, "text"))));
    const tool = createTool({ name: "t", description: "Tool.", inputSchema: inputSchema as z.ZodObject, execute: () => "done" });
    await createAgent({ model: protocols[protocol].model(server.url), tools: [tool] }).run("Hello");
    const [declared] = server.requests[0]?.body.tools ?? [];
    return declared.input_schema ?? declared.parameters ?? declared.function.parameters;
  };

  test("a tool whose arguments are one of several objects is declared without a union at its root", async () => {
    const open = z.object({ action: z.literal("open"), path: z.string(), line: z.number().optional() });
    const close = z.object({ action: z.literal("close"), path: z.string() });
    expect(await schemaOf(z.discriminatedUnion("action", [open, close]))).toEqual({
      type: "object",
      description: 'Give one of these sets of properties: { action: "open", path, line? } or { action: "close", path }',
      properties: { action: { type: "string", enum: ["open", "close"] }, path: { type: "string" }, line: { type: "number" } },
      required: ["action", "path"],
    });
    expect(await schemaOf(z.union([z.object({ id: z.string() }), z.object({ id: z.number(), n: z.number() })]))).toEqual({
      type: "object",
      description: "Give one of these sets of properties: { id } or { id, n }",
      properties: { id: { anyOf: [{ type: "string" }, { type: "number" }] }, n: { type: "number" } },
      required: ["id"],
    });
  });

  test("what several objects together want is all required", async () => {
    const schema = await schemaOf(z.intersection(z.object({ a: z.string() }), z.object({ b: z.number() })));
    expect(schema).toEqual({
      type: "object",
      properties: { a: { type: "string" }, b: { type: "number" } },
      required: ["a", "b"],
    });
  });

  test("a schema without properties gets an empty list of them", async () => {
    expect(await schemaOf({ type: "object" })).toEqual({ type: "object", properties: {} });
  });
});
