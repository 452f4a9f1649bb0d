import { type AgentTool, registerTool } from "../base/tool.js";

/**
 * Tools that are made once and given to each trial with its own state: to check and translate schemas takes longer than most calls do.
 * @param make - Makes the tools. They ask for the state in each call, before anything is awaited; while they are made, it is that of the first trial.
 * @returns Gives the tools over a state.
 */
export function reusableTools<State>(make: (state: () => State) => readonly AgentTool[]): (state: State) => AgentTool[] {
  let active: State;
  let made: readonly AgentTool[] | undefined;
  return (state) => {
    active = state;
    made ??= make(() => active);
    return made.map((tool) =>
      registerTool({
        ...tool,
        execute: (input, context) => {
          active = state;
          return tool.execute(input, context);
        },
      }),
    );
  };
}
