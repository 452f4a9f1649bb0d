import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { writeFiles } from "../package/temporary-folder.ts";
import { commandOf, installTriact, Running } from "./installed.ts";
import { addScript } from "./kit.ts";
import { noPseudoTerminal, PseudoTerminal } from "./pseudo-terminal.ts";

const tools = `
  import { createTool } from "triact";
  import { z } from "zod";
  const inputSchema = z.object({ a: z.number(), b: z.number() });
  export const add = createTool({ name: "add", description: "Adds.", inputSchema, execute: ({ a, b }: { a: number; b: number }) => a + b });
`;
const ask = ["run", "Add 1 and 2", "--model", "scripted:script.json", "--tools", "tools.ts", "--policy", "ask"];
const prompt = "[s]uspend > ";

let folder: string;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "triact-terminal-")));
  await installTriact(folder);
  writeFiles(folder, { "tools.ts": tools, "script.json": JSON.stringify(addScript) });
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true }));

function open(args: readonly string[], env: Readonly<Record<string, string>> = {}): PseudoTerminal {
  const terminal = new PseudoTerminal([process.execPath, commandOf(folder), ...args], { cwd: folder, env: { HOME: folder, ...env } });
  onTestFinished(() => terminal.kill());
  return terminal;
}

describe.skipIf(noPseudoTerminal !== undefined)(
  `on a pseudo-terminal${noPseudoTerminal === undefined ? "" : `, skipped: ${noPseudoTerminal}`}`,
  () => {
    test("a person is asked, and the approved call runs", async () => {
      const terminal = open(ask);
      await terminal.shows("May it call add?");
      await terminal.shows(prompt);
      terminal.type("y\r");
      await terminal.shows("It is 3.");
      expect(await terminal.ended).toBe(0);
      expect(stripVTControlCharacters(terminal.output)).toContain("← add 3");
    });

    test("a refusal carries its reason", async () => {
      const terminal = open(ask);
      await terminal.shows(prompt);
      terminal.type("n\r");
      await terminal.shows("Reason, for the model (may be empty): ");
      terminal.type("not today\r");
      expect(await terminal.ended).toBe(0);
      expect(stripVTControlCharacters(terminal.output)).toContain(
        "✗ add Approval for tool add was denied: not today. Nothing was executed.",
      );
    });

    test("keys that were pressed before the question do not answer it", async () => {
      writeFiles(folder, {
        "slow.ts": `${tools}
          const alive = setInterval(() => undefined, 1000);
          const told = new Promise((resolve) => process.once("SIGUSR2", resolve));
          process.stderr.write(\`process \${process.pid};\`);
          await told;
          clearInterval(alive);
        `,
      });
      const terminal = open(ask.map((word) => (word === "tools.ts" ? "slow.ts" : word)));
      await terminal.shows(";");
      terminal.type("y\r");
      await terminal.shows("y"); // its echo
      process.kill(Number(terminal.output.match(/process (\d+);/)?.[1]), "SIGUSR2");
      await terminal.shows(prompt);
      terminal.type("n\r");
      await terminal.shows("Reason");
      terminal.type("\r");
      expect(await terminal.ended).toBe(0);
      expect(stripVTControlCharacters(terminal.output)).toContain("✗ add");
    });

    test("Ctrl-C at a question aborts the run, and the session keeps its history", async () => {
      const terminal = open([...ask, "--session", "interrupted"]);
      await terminal.shows(prompt);
      terminal.type("\u0003");
      expect(await terminal.ended).toBe(130);
      expect(stripVTControlCharacters(terminal.output)).toContain("aborted (abort): The run was aborted: interrupted by Ctrl-C");
      const sessions = await new Running([commandOf(folder), "sessions"], { cwd: folder }).end();
      expect(sessions.stdout).toMatch(/^interrupted +aborted/m);
    });

    test("Ctrl-C while the model is silent aborts the run", async () => {
      writeFiles(folder, { "hangs.json": JSON.stringify([{ text: "Well", hangs: true }]) });
      const terminal = open(["run", "x", "--model", "scripted:hangs.json"]);
      await terminal.shows("Well");
      terminal.type("\u0003");
      expect(await terminal.ended).toBe(130);
    });

    test("a run is suspended and resumed, with an input that the person edits", async () => {
      const terminal = open([...ask, "--session", "edited"]);
      await terminal.shows(prompt);
      terminal.type("s\r");
      await terminal.shows("Go on with: triact resume edited");
      expect(await terminal.ended).toBe(3);
      const resumed = open(["resume", "edited"]);
      await resumed.shows("[l]eave it waiting > ");
      resumed.type("e\r");
      await resumed.shows("Input as JSON, on one line: ");
      await resumed.shows('{"a":1,"b":2}');
      resumed.type("\u007f\u007f40}\r");
      await resumed.shows("It is 3.");
      expect(await resumed.ended).toBe(0);
      expect(stripVTControlCharacters(resumed.output)).toContain("← add 41");
    });

    test("suspending without a session offers one", async () => {
      const terminal = open(ask);
      await terminal.shows(prompt);
      terminal.type("s\r");
      await terminal.shows("Name of a new session (Enter to go back): ");
      terminal.type("late\r");
      expect(await terminal.ended).toBe(3);
      const resumed = await new Running([commandOf(folder), "resume", "late", "--approve", "all"], { cwd: folder }).end();
      expect(resumed).toMatchObject({ exitCode: 0, stdout: "It is 3.\n" });
    });

    test("colours and a spinner are shown on a terminal, and NO_COLOR takes the colours away", async () => {
      const run = ask.slice(0, -2);
      const coloured = open(run);
      const plain = open(run, { NO_COLOR: "1" });
      expect([await coloured.ended, await plain.ended]).toEqual([0, 0]);
      expect(coloured.output).toContain("\u001b[36m→\u001b[39m");
      expect(coloured.output).toContain("\r\u001b[2K");
      expect(plain.output).toContain("waiting for the model");
      expect(plain.output.replaceAll("\u001b[2K", "")).not.toContain("\u001b");
    });

    test("a model cannot send commands to the terminal", async () => {
      const evil = "\u001b]0;owned\u0007\u001b[2J\u009b31mred";
      writeFiles(folder, {
        "evil.json": JSON.stringify({
          seed: 7,
          turns: [{ text: evil, toolCalls: [{ toolName: "add", input: { a: evil } }] }, { text: evil }],
        }),
      });
      const terminal = open(["run", "x", "--model", "scripted:evil.json", "--tools", "tools.ts"], { NO_COLOR: "1" });
      expect(await terminal.ended).toBe(0);
      expect(terminal.output).toContain("␛]0;owned␇␛[2J<U+009B>31mred");
      expect(terminal.output.replaceAll("\u001b[2K", "")).not.toMatch(/[^\P{Cc}\r\n]/u);
    });
  },
);
