import { Random } from "../random.js";
import { defineSuite, type Suite } from "../suite.js";
import { crossover } from "./crossover/crossover.js";
import { library } from "./library/library.js";
import { workday } from "./workday/workday.js";

/** What {@link mixed} takes. */
export interface MixedOptions {
  /** Tasks of each suite. @default 8 */
  readonly tasksEach?: number;
}

/** A seeded sample of crossover, workday and library, for a first look that takes seconds. Ids begin with the name of the suite that a task is from. */
export function mixed({ tasksEach = 8 }: MixedOptions = {}): Suite {
  return defineSuite({
    name: "mixed",
    version: "1",
    description: "A sample of crossover, workday and library, for a first look.",
    async tasks({ seed }) {
      const lists = await Promise.all(
        [crossover(), workday(), library()].map(async (suite) => {
          const tasks = await suite.tasks({ seed });
          const sample = new Random("mixed", suite.name, seed).sample(tasks, Math.min(tasksEach, tasks.length));
          return sample.map((task) => ({ ...task, id: `${suite.name}/${task.id}` }));
        }),
      );
      return lists.flat();
    },
  });
}
