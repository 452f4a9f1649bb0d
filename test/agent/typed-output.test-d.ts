import { Agent, Agents, createAgent } from "triact";
import { ScriptedModel } from "triact/testing";
import { z } from "zod";

const model = new ScriptedModel([]);
const Invoice = z.object({ total: z.number(), currency: z.string().default("EUR"), due: z.string().transform((text) => new Date(text)) });

/** What the schema makes of an answer is what the result has. */
export async function ofABuilder(): Promise<void> {
  const { output } = await Agents.builder().model(model).output(Invoice).maxIterations(3).build().run("?");
  const total: number | undefined = output?.total;
  const due: Date | undefined = output?.due;
  // @ts-expect-error: a number is no text
  const wrong: string | undefined = output?.total;
  void [total, due, wrong];
}

export async function ofAnAgent(): Promise<void> {
  const agent = new Agent({ model, output: Invoice });
  const result = await agent.run("?");
  const currency: string | undefined = result.output?.currency;
  const streamed: number | undefined = (await agent.stream("?").result).output?.total;
  const resumed: number | undefined = (await agent.resume(agent.snapshot())).output?.total;
  // @ts-expect-error: there is no such field
  void result.output?.sum;
  void [currency, streamed, resumed];
}

export async function ofCreateAgent(): Promise<void> {
  const list = await createAgent({ model, output: z.array(z.boolean()) }).run("?");
  const first: boolean | undefined = list.output?.[0];
  const untyped = await createAgent({ model }).run("?");
  // @ts-expect-error: nobody said what it is
  const text: string = untyped.output;
  void [first, text];
}
