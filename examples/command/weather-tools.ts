/** Tools for `triact run --tools`: what a module exports by name, as default, or in a list as default. */
import { createTool } from "triact";
import { z } from "zod";

const degrees: Readonly<Record<string, number>> = { Lisbon: 24, Oslo: 9 };

export const weather = createTool({
  name: "weather",
  description: "Tells how warm it is in a city, in degrees Celsius.",
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => degrees[city] ?? `There is no weather station in ${city}.`,
});
