/** A benchmark that is killed: `killable.ts OUTPUT`. It writes a line for each cell that is finished, and goes on with what is in OUTPUT. */
import { ReActRuntime } from "triact";
import { runBenchmark, workday } from "triact/bench";

await runBenchmark({
  suites: [workday()],
  arms: [{ name: "react", runtime: new ReActRuntime() }],
  output: process.argv[2] ?? "",
  resume: true,
  concurrency: 2,
  onProgress: ({ done }) => void process.stdout.write(`${done}\n`),
});
