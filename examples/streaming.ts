/** A run as a stream of events: text while it is written, tools while they work, and the result at the end. */
import { Agents, createTool } from "triact";
import { callTool, lastToolResults, ScriptedModel, say } from "triact/testing";
import { z } from "zod";

const brew = createTool({
  name: "brew",
  description: "Brews a pot of tea.",
  inputSchema: z.object({ tea: z.string(), minutes: z.number().int().positive() }),
  execute: ({ tea, minutes }, { emitUpdate }) => {
    for (let minute = 1; minute <= minutes; minute++) emitUpdate({ minute, of: minutes });
    return `a pot of ${tea}`;
  },
});

const model = new ScriptedModel(
  [
    callTool("brew", { tea: "sencha", minutes: 2 }, { text: "Water is on.", usage: { inputTokens: 60, outputTokens: 25 } }),
    (request) =>
      say(`Here is ${lastToolResults(request)[0]?.output}. Careful, it is hot.`, { usage: { inputTokens: 95, outputTokens: 14 } }),
  ],
  { seed: 1 }, // cuts the replies into small deltas
);

const agent = Agents.builder().model(model).tools(brew).build();
const stream = agent.stream("A pot of sencha, please."); // the run has begun

for await (const event of stream) {
  switch (event.type) {
    case "turn-started":
      console.log(`\nturn ${event.iteration}`);
      break;
    case "assistant-text-delta":
      process.stdout.write(`${event.text}|`); // deltas that came before anybody read them come as one
      break;
    case "assistant-message":
      console.log(`\n  finish reason: ${event.finishReason}`);
      break;
    case "tool-started":
      console.log(`  ${event.toolCall.toolName}(${JSON.stringify(event.toolCall.input)})`);
      break;
    case "tool-updated":
      console.log(`    … ${JSON.stringify(event.update)}`);
      break;
    case "tool-finished":
      console.log(`    ${JSON.stringify(event.message.content[0])}`);
      break;
    case "run-finished":
      console.log(`\nthe run is over, with ${event.snapshot.messages.length} messages in the history`);
      break;
    default: // run-started, message-added, tool call deltas, usage-updated, turn-finished, …
  }
}

// The same object that `agent.run()` would have given. It can also be awaited without reading the events.
const { status, outputText, usage } = await stream.result;
console.log(`${status}: ${outputText}`);
console.log(`${usage.inputTokens} tokens in, ${usage.outputTokens} tokens out`);
