import { expect, test } from "vitest";
import { addRun, World } from "./kit.ts";

const message = (fields: Record<string, unknown>) => ({ text: JSON.stringify(fields) });
const run = (runtime: string) => [...addRun, "--runtime", runtime];
const withoutTimes = (text: string) => text.replaceAll(/\(\d+(\.\d+)? m?s\)|\d+(\.\d+)? m?s$/gm, "TIME");

test("code is shown as code with its calls beneath it, and the answer alone goes to standard output", async () => {
  const turns = [
    message({ type: "code", language: "javascript", code: "const sum = await add({ a: 1, b: 2 });\nconsole.log(sum);\nsum" }),
    message({ type: "code", code: "nope()" }),
    message({ type: "final", output: "It is 3.\nReally." }),
  ];
  const world = new World({ files: { "script.json": { seed: 5, turns } } });
  const { exitCode, stdout, stderr } = await world.triact(run('codeact:{"finish":"model"}'));
  expect([exitCode, stdout]).toEqual([0, "It is 3.\nReally.\n"]);
  expect(withoutTimes(stderr)).toBe(
    `${[
      "│ const sum = await add({ a: 1, b: 2 });",
      "│ console.log(sum);",
      "│ sum",
      '  → add {"a":1,"b":2}',
      "  ← add 3 TIME",
      "logs: 3",
      "CODE_RESULT 3 TIME",
      "│ nope()",
      "CODE_ERROR ReferenceError: nope is not defined (line 1) TIME",
      "completed",
      "3 turns · 0 tokens in, 0 out · TIME",
    ].join("\n")}\n`,
  );
});

test("a returned value is the answer", async () => {
  const world = new World({ files: { "script.json": [message({ type: "code", code: "return { sum: await add({ a: 1, b: 2 }) }" })] } });
  expect(await world.triact(run("codeact"))).toMatchObject({ exitCode: 0, stdout: '{"sum":3}\n' });
});

test("code may run in QuickJS instead", async () => {
  const source = "return [await add({ a: 1, b: 2 }), typeof Intl]"; // QuickJS has none
  const world = new World({ files: { "script.json": [message({ type: "code", code: source })] } });
  const { exitCode, stdout } = await world.triact([...run("codeact"), "--sandbox", "quickjs"]);
  expect([exitCode, stdout]).toEqual([0, '[3,"undefined"]\n']);
});

test("a sandbox that there is none of is refused", async () => {
  const { exitCode, stderr } = await new World({ files: { "script.json": [] } }).triact([...run("codeact"), "--sandbox", "docker"]);
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining('--sandbox: there is no sandbox "docker". Allowed: isolated-vm, quickjs.'),
  ]);
});

test("an answer that is no text, and code in a block, are shown once", async () => {
  const world = new World({ files: { "script.json": [{ text: "```js\n1 + 1\n```" }, message({ type: "final", output: { a: 1 } })] } });
  const { stdout, stderr } = await world.triact(run("codeact"));
  expect(stdout).toBe('{"a":1}\n');
  expect(withoutTimes(stderr)).toContain("```js\n1 + 1\n```\n│ 1 + 1\nCODE_RESULT 2 TIME\n");
});

test("a policy may name the code itself", async () => {
  const world = new World({ files: { "script.json": [message({ type: "code", code: "1" }), message({ type: "final", output: "No." })] } });
  const { stdout, stderr } = await world.triact([...run("codeact"), "--policy", "deny:code"]);
  expect(stdout).toBe("No.\n");
  expect(stderr).toContain("CODE_ERROR The policy does not allow tool code. Nothing was executed.");
});

test.for([
  ["codeact:{", "--runtime: expected codeact:{…}, a JSON object of options: "],
  ["codeact:[]", "--runtime: expected codeact:{…}, a JSON object of options, received []."],
  ['codeact:{"finsh":"model"}', "CodeActRuntime.finsh: "],
  ['codeact:{"finish":"soon"}', "CodeActRuntime.finish: "],
  ["react:{}", "--runtime: react takes no options."],
] as const)("--runtime %s is refused", async ([runtime, problem]) => {
  const { exitCode, stdout, stderr } = await new World({ files: { "script.json": [] } }).triact(run(runtime));
  expect([exitCode, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(problem);
});
