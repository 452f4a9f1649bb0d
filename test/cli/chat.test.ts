import { describe, expect, test } from "vitest";
import { Interruption } from "../../src/cli/interruption.ts";
import { World } from "./kit.ts";

const files = {
  "script.json": [
    { text: "Hello Ada.", usage: { inputTokens: 5, outputTokens: 2 } },
    { text: "I add.", toolCalls: [{ toolName: "add", input: { a: 1, b: 2 } }], usage: { inputTokens: 10, outputTokens: 5 } },
    { text: "It is 3.", usage: { inputTokens: 20, outputTokens: 6 } },
  ],
  "code.json": [{ text: JSON.stringify({ type: "code", language: "js", code: "return await add({ a: 2, b: 2 })" }) }],
};
const chat = ["chat", "--model", "scripted:script.json", "--tools", "tools.ts"];
const piped = (stdin: string, args = chat) => new World({ files, stdin }).triact(args);

describe("triact chat", () => {
  test("answers line by line from a pipe, and keeps the conversation", async () => {
    const { exitCode, stdout, stderr } = await piped("I am Ada.\n1 + 2?\n/usage\n");
    expect([exitCode, stdout]).toEqual([0, "Hello Ada.\nI add.\nIt is 3.\n"]);
    expect(stderr).toContain("35 tokens in, 13 out\n");
  });

  test("asks a person, until they leave by Ctrl-D", async () => {
    const world = new World({
      files,
      interactive: true,
      answers: [
        ["you> ", "I am Ada."],
        ["you> ", "^D"],
      ],
    });
    const { exitCode, stdout } = await world.triact(chat);
    expect([exitCode, stdout]).toEqual([0, "Hello Ada.\n"]);
  });

  test("asks before a call, where the policy says so", async () => {
    const answers = [
      ["you> ", "Hi."],
      ["you> ", "1 + 2?"],
      ["[s]uspend > ", "y"],
      ["you> ", "/exit"],
    ] as const;
    const { exitCode, stdout } = await new World({ files, interactive: true, answers }).triact([...chat, "--policy", "ask"]);
    expect([exitCode, stdout]).toEqual([0, "Hello Ada.\nI add.\nIt is 3.\n"]);
  });

  test("joins lines that end with a backslash", async () => {
    const { stdout } = await piped("I am\\\nAda.\n");
    expect(stdout).toBe("Hello Ada.\n");
  });

  test("changes the model and the strategy in the middle, and keeps the history", async () => {
    const world = new World({ files, stdin: "I am Ada.\n/model scripted:CODE\n/runtime codeact\n2 + 2?\n/model\n/runtime\n" });
    const code = `scripted:${world.folder}/code.json`;
    const { exitCode, stdout, stderr } = await world.triact(chat, {
      stdin: `I am Ada.\n/model ${code}\n/runtime codeact\n2 + 2?\n/runtime\n`,
    });
    expect([exitCode, stdout.split("\n").at(0), stdout.trimEnd().split("\n").at(-1)]).toEqual([0, "Hello Ada.", "4"]);
    expect(stderr).toContain("The runtime is codeact.\n");
  });

  test("says what is wrong with a change, and goes on as before", async () => {
    const { exitCode, stdout, stderr } = await piped("/runtime magic\n/model acme:x\n/magic\nI am Ada.\n");
    expect([exitCode, stdout]).toEqual([0, "Hello Ada.\n"]);
    expect(stderr).toContain('there is no runtime "magic"');
    expect(stderr).toContain('there is no provider "acme"');
    expect(stderr).toContain("There is no /magic.");
  });

  test("shows what can be said, and forgets when it is told to", async () => {
    const { stderr, stdout } = await piped("/help\nI am Ada.\n/clear\n/tools\n/exit\nnever read\n");
    for (const name of ["/help", "/runtime NAME", "/model PROVIDER:MODEL", "/tools", "/usage", "/clear", "/exit"])
      expect(stderr).toContain(`${name} `);
    expect(stderr).toMatch(/Forgotten\.\n.*tools\.ts\n/);
    expect(stdout).toBe("Hello Ada.\n");
  });

  test("goes on with a session, with the flags that it was held with", async () => {
    const world = new World({ files });
    await world.triact([...chat, "--session", "ada"], { stdin: "I am Ada.\n" });
    const { exitCode, stdout } = await world.triact(["chat", "--session", "ada"], { stdin: "1 + 2?\n" });
    expect([exitCode, stdout]).toEqual([0, "I add.\nIt is 3.\n"]);
  });

  test("refuses what cannot be used before it asks anything", async () => {
    expect(await piped("Hi\n", ["chat", "--model", "acme:x"])).toMatchObject({ exitCode: 2, stdout: "" });
    expect(await piped("Hi\n", ["chat", "Hello", "--model", "scripted:script.json"])).toMatchObject({ exitCode: 2 });
  });
});

test("Ctrl-C ends the part that is under way, a second one the command, a third one the process", async () => {
  const exits: number[] = [];
  const interruption = new Interruption((exitCode) => exits.push(exitCode));
  const ended = await interruption.during(async (signal) => {
    interruption.interrupt("SIGINT");
    const first = [signal.aborted, interruption.signal.aborted, interruption.exitCode];
    interruption.interrupt("SIGINT");
    interruption.interrupt("SIGINT");
    return first;
  });
  expect([ended, interruption.signal.aborted, interruption.exitCode, exits]).toEqual([[true, false, undefined], true, 130, [130]]);
});
