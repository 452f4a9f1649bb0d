import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { writeFiles } from "../package/temporary-folder.ts";
import { commandOf, installTriact } from "./installed.ts";
import { addScript } from "./kit.ts";
import { noPseudoTerminal, PseudoTerminal } from "./pseudo-terminal.ts";

const PROMPT = "› ";
/** `slow` says that it has begun, speaks at one signal, and ends at another. */
const tools = `
  import { createTool } from "triact";
  import { z } from "zod";
  const pair = z.object({ a: z.number(), b: z.number() });
  export const add = createTool({ name: "add", description: "Adds.", inputSchema: pair, execute: ({ a, b }: { a: number; b: number }) => a + b });
  export const slow = createTool({ name: "slow", description: "Waits.", inputSchema: z.object({}), execute: (_input: unknown, { emitUpdate }: { emitUpdate(update: unknown): void }) =>
    new Promise((resolve) => {
      process.once("SIGUSR2", () => emitUpdate("stirred"));
      process.once("SIGHUP", () => resolve("slept"));
      emitUpdate(\`process \${process.pid};\`);
    }) });
`;
const echo = `
  const said = ({ messages }) => messages.filter(({ role }) => role === "user").map(({ content }) => content[0].text).join("|");
  export default [
    (request) => ({ text: "Begun.", toolCalls: [{ toolName: "slow", input: {} }] }),
    ...Array.from({ length: 9 }, () => (request) => ({ text: "You said <" + said(request).replaceAll("\\n", "/") + ">." })),
  ];
`;
const talk = `
  export default Array.from({ length: 9 }, () => ({ messages }) => ({ text: "<" + messages.at(-1).content[0].text.replaceAll("\\n", "/") + ">" }));
`;

let folder: string;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "triact-chat-")));
  await installTriact(folder);
  writeFiles(folder, {
    "tools.ts": tools,
    "echo.mjs": echo,
    "talk.mjs": talk,
    "script.json": JSON.stringify(addScript),
    "hangs.json": JSON.stringify([{ text: "Well", hangs: true }, { text: "Here again." }]),
  });
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true }));

function open(args: readonly string[]): PseudoTerminal {
  const terminal = new PseudoTerminal([process.execPath, commandOf(folder), "chat", ...args], {
    cwd: folder,
    env: { HOME: folder, NO_COLOR: "1" },
  });
  onTestFinished(() => terminal.kill());
  return terminal;
}

const shown = (terminal: PseudoTerminal) => stripVTControlCharacters(terminal.output);

/** Sends a signal to the tool `slow`. */
function signal(terminal: PseudoTerminal, name: NodeJS.Signals): void {
  process.kill(Number(terminal.output.match(/process (\d+);/)?.[1]), name);
}

describe.skipIf(noPseudoTerminal !== undefined)(
  `a conversation on a pseudo-terminal${noPseudoTerminal === undefined ? "" : `, skipped: ${noPseudoTerminal}`}`,
  () => {
    test("goes on over several turns, and Ctrl-D leaves", async () => {
      const terminal = open(["--model", "scripted:talk.mjs"]);
      await terminal.shows(PROMPT);
      terminal.type("one\r");
      await terminal.shows("<one>");
      await terminal.shows("so far 1 run");
      await terminal.shows(PROMPT);
      terminal.type("two\\\rmore\r");
      await terminal.shows("<two/more>");
      await terminal.shows(PROMPT);
      terminal.type("\u001b[A\u001b[A!\r"); // the first line of the message before the last one
      await terminal.shows("<");
      await terminal.shows(PROMPT);
      terminal.type("\u0004");
      expect(await terminal.ended).toBe(0);
    });

    test("asks about a call, and keeps answers out of the history of lines", async () => {
      const terminal = open(["--model", "scripted:script.json", "--tools", "tools.ts", "--policy", "ask"]);
      await terminal.shows(PROMPT);
      terminal.type("Add\r");
      await terminal.shows("[s]uspend > ");
      terminal.type("y\r");
      await terminal.shows("It is 3.");
      await terminal.shows(PROMPT);
      terminal.type("\u001b[A");
      await terminal.shows("Add");
      terminal.type("\u0015/exit\r");
      expect(await terminal.ended).toBe(0);
      expect(shown(terminal)).toContain("← add 3");
    });

    test("what is typed while the agent works is told to it, and the output waits meanwhile", async () => {
      const terminal = open(["--model", "scripted:echo.mjs", "--tools", "tools.ts"]);
      await terminal.shows(PROMPT);
      terminal.type("Go\r");
      await terminal.shows("process ");
      await terminal.shows(";");
      terminal.type("be ");
      await terminal.shows("» ");
      await terminal.shows("be ");
      signal(terminal, "SIGUSR2");
      terminal.type("quick");
      await terminal.shows("quick");
      expect(shown(terminal)).not.toContain("stirred");
      terminal.type("\r");
      await terminal.shows("stirred");
      signal(terminal, "SIGHUP");
      await terminal.shows("You said <Go|be quick>.");
      await terminal.shows(PROMPT);
      terminal.type("\u0004");
      expect(await terminal.ended).toBe(0);
    });

    test("what is being typed when the turn ends stands at the prompt", async () => {
      const terminal = open(["--model", "scripted:echo.mjs", "--tools", "tools.ts"]);
      await terminal.shows(PROMPT);
      terminal.type("Go\r");
      await terminal.shows(";");
      terminal.type("later");
      await terminal.shows("later");
      signal(terminal, "SIGHUP");
      await terminal.shows("You said <Go>.");
      await terminal.shows("› later");
      terminal.type("!\r");
      await terminal.shows("You said <Go|later!>.");
      terminal.type("\u0004");
      expect(await terminal.ended).toBe(0);
    });

    test("Ctrl-C ends the turn, and the conversation goes on", async () => {
      const terminal = open(["--model", "scripted:hangs.json", "--session", "c"]);
      await terminal.shows(PROMPT);
      terminal.type("Hello\r");
      await terminal.shows("Well");
      terminal.type("\u0003");
      await terminal.shows("aborted (abort): The run was aborted: interrupted by Ctrl-C");
      await terminal.shows("Ctrl-C again leaves");
      await terminal.shows(PROMPT);
      terminal.type("And now?\r");
      await terminal.shows("Here again.");
      await terminal.shows(PROMPT);
      terminal.type("\u0003");
      await terminal.shows("Ctrl-C again leaves");
      await terminal.shows(PROMPT);
      terminal.type("\u0003");
      expect(await terminal.ended).toBe(130);
    });

    test("Ctrl-C twice leaves a turn", async () => {
      const terminal = open(["--model", "scripted:hangs.json"]);
      await terminal.shows(PROMPT);
      terminal.type("Hello\r");
      await terminal.shows("Well");
      terminal.type("\u0003\u0003");
      expect(await terminal.ended).toBe(130);
    });

    test("Ctrl-C at a question ends the turn alone", async () => {
      const terminal = open(["--model", "scripted:script.json", "--tools", "tools.ts", "--policy", "ask"]);
      await terminal.shows(PROMPT);
      terminal.type("Add\r");
      await terminal.shows("[s]uspend > ");
      terminal.type("\u0003");
      await terminal.shows("aborted (abort)");
      await terminal.shows(PROMPT);
      terminal.type("Go on\r");
      await terminal.shows("It is 3.");
      terminal.type("\u0004");
      expect(await terminal.ended).toBe(0);
    });

    test("lines that are pasted are one message", async () => {
      const terminal = open(["--model", "scripted:talk.mjs"]);
      await terminal.shows(PROMPT);
      terminal.type("one\rtwo\rthree\r");
      await terminal.shows("<one/two/three>");
      await terminal.shows(PROMPT);
      terminal.type("\u0004");
      expect(await terminal.ended).toBe(0);
    });
  },
);
