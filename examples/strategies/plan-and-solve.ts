/** Plan-and-Solve (Wang et al., 2023): the model writes a plan of its own before the first turn, and then carries it out by native calls. */
import { BaseAgentRuntime, type Run, textOf } from "triact";

export class PlanAndSolveRuntime extends BaseAgentRuntime {
  override readonly name = "plan-and-solve";

  protected override instructions(): string {
    return "Carry out the plan step by step: call tools, compute what is between, and keep an eye on units and signs. Then answer.";
  }

  protected override async prepare(run: Run): Promise<void> {
    const question = run.messages.findLast(({ role }) => role === "user");
    const tools = run.tools.list.map(({ name, description }) => `${name}: ${description}`).join("\n");
    const { text } = await run.ask({
      purpose: "plan",
      systemPrompt: "Understand the problem, extract what is given, and devise a plan to solve it. Write the plan alone, one step a line.",
      messages: `Tools:\n${tools}\n\nProblem: ${question === undefined ? "" : textOf(question)}`,
    });
    await run.addNote(`Plan:\n${text}`);
  }
}
