import { Agents, createTool } from "triact";
import { z } from "zod";
import type { BenchmarkTool, Conversation, ConversationOptions, Subject } from "./subject.ts";

/** An agent of triact as a subject: arguments are checked by zod, and one subscriber gets every event. */
export function createTriact({ name, execute }: BenchmarkTool): Subject {
  const tool = createTool({
    name,
    description: "Forecast for a city.",
    inputSchema: z.object({ city: z.string(), days: z.number() }),
    execute: (input) => execute(input),
  });
  return {
    start({ model, listener, history = [] }: ConversationOptions): Conversation {
      const agent = Agents.react()
        .model(model)
        .tools(tool)
        .initialMessages(history)
        .toolExecution("parallel")
        .maxIterations(Number.POSITIVE_INFINITY)
        .build();
      agent.subscribe(listener);
      return {
        async run(input) {
          const { status, messages, error } = await agent.run(input);
          if (status !== "completed") throw new Error(`The run ended as ${status}.`, { cause: error });
          return messages;
        },
      };
    },
  };
}
