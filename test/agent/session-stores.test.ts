import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  type AgentMessage,
  JsonlSessionStore,
  MemorySessionStore,
  type SessionChange,
  type SessionStore,
  SqliteSessionStore,
} from "triact";
import { afterEach, describe, expect, test } from "vitest";

const folders: string[] = [];

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "triact-sessions-"));
  folders.push(folder);
  return folder;
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function message(id: string, text = "?"): AgentMessage {
  return { id, role: "user", content: [{ type: "text", text }], createdAt: 1 };
}

function change(revision: number, keep: number, ids: readonly string[], more: Partial<SessionChange["state"]> = {}): SessionChange {
  const usage = { inputTokens: 1, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, totalInputTokens: 1, totalOutputTokens: 0 };
  const state = {
    version: 1,
    agentId: "agent_1",
    runtime: "react",
    status: "running",
    iteration: 1,
    pendingToolCalls: [],
    usage,
    ...more,
  } as const;
  return { revision, keep, messages: ids.map((id) => message(id)), state };
}

const idsIn = (session: { snapshot: { messages: readonly AgentMessage[] } } | undefined) => session?.snapshot.messages.map(({ id }) => id);

const stores: readonly (readonly [name: string, create: (place: string) => SessionStore, persistent: boolean])[] = [
  ["MemorySessionStore", () => new MemorySessionStore(), false],
  ["JsonlSessionStore", (place) => new JsonlSessionStore(join(place, "made", "for it")), true],
  ["SqliteSessionStore", (place) => new SqliteSessionStore(join(place, "made", "for it", "sessions.db")), true],
];

describe.each(stores)("%s", (_, create, persistent) => {
  test("gives back what was saved, change by change", async () => {
    const store = create(newFolder());
    expect(await store.load("trip")).toBeUndefined();
    await store.save("trip", change(1, 0, ["a", "b"]));
    await store.save("trip", change(2, 1, ["c", "d"], { status: "completed", lastError: "none" }));
    const session = await store.load("trip");
    expect(session).toEqual({
      revision: 2,
      snapshot: {
        ...change(2, 0, [], { status: "completed", lastError: "none" }).state,
        messages: ["a", "c", "d"].map((id) => message(id)),
      },
    });
  });

  test("keeps sessions apart, whatever their names", async () => {
    const store = create(newFolder());
    const names = ["a/b", "a%2Fb", "..", "../x", "A", "é", "con", "a b", "\u0000"];
    for (const name of names) await store.save(name, change(1, 0, [`message of ${name}`]));
    for (const name of names) expect(idsIn(await store.load(name))).toEqual([`message of ${name}`]);
    expect((await store.list()).map(({ sessionId }) => sessionId).sort()).toEqual([...names].sort());
  });

  test("refuses a change to what somebody else has written", async () => {
    const store = create(newFolder());
    await store.save("trip", change(1, 0, ["a"]));
    await expect(store.save("trip", change(1, 0, ["b"]))).rejects.toMatchObject({
      code: "session",
      message: expect.stringMatching(/revision 1, and the change is for revision 1/),
    });
    await expect(store.save("other", change(2, 0, ["b"]))).rejects.toThrow(/revision 0/);
    expect(idsIn(await store.load("trip"))).toEqual(["a"]);
  });

  test("lists and deletes", async () => {
    const store = create(newFolder());
    expect(await store.list()).toEqual([]);
    await store.save("one", change(1, 0, ["a"]));
    await store.save("two", change(1, 0, ["a", "b"], { status: "suspended" }));
    const infos = await store.list();
    expect(infos.map(({ sessionId, status, messageCount }) => [sessionId, status, messageCount]).sort()).toEqual([
      ["one", "running", 1],
      ["two", "suspended", 2],
    ]);
    expect(infos.every(({ updatedAt }) => Number.isInteger(updatedAt) && updatedAt > 0)).toBe(true);
    await store.delete("one");
    await store.delete("one");
    expect(await store.load("one")).toBeUndefined();
    await store.save("one", change(1, 0, ["new"]));
    expect(idsIn(await store.load("one"))).toEqual(["new"]);
  });

  test("does not keep objects: what is changed later is not changed in the store", async () => {
    const store = create(newFolder());
    const given = change(1, 0, ["a"]);
    await store.save("trip", given);
    (given.messages as AgentMessage[]).push(message("b"));
    const loaded = (await store.load("trip"))?.snapshot.messages as AgentMessage[];
    loaded.push(message("c"));
    expect(idsIn(await store.load("trip"))).toEqual(["a"]);
  });

  if (!persistent) return;
  test("shares its place with other stores, and sees what they wrote", async () => {
    const place = newFolder();
    const [one, two] = [create(place), create(place)];
    await one.save("trip", change(1, 0, ["a"]));
    expect(idsIn(await two.load("trip"))).toEqual(["a"]);
    await two.save("trip", change(2, 1, ["b"]));
    await expect(one.save("trip", change(2, 1, ["c"]))).rejects.toMatchObject({ code: "session" });
    await one.save("trip", change(3, 2, ["c"]));
    expect(idsIn(await two.load("trip"))).toEqual(["a", "b", "c"]);
  });

  test("lets one of two writers win that write the same revision at the same moment, and tells the other", async () => {
    const place = newFolder();
    for (let round = 0; round < 20; round++) {
      const session = `trip ${round}`;
      const writers = ["a", "b"].map((id) => ({ id, store: create(place) }));
      const writes = await Promise.allSettled(writers.map(({ id, store }) => store.save(session, change(1, 0, [id]))));
      const winners = writers.filter((_, index) => writes[index]?.status === "fulfilled");
      expect(winners).toHaveLength(1);
      expect(writes.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "session" } });
      const [{ id, store } = { id: "", store: create(place) }] = winners;
      expect(idsIn(await store.load(session))).toEqual([id]);
      await store.save(session, change(2, 1, ["c"]));
      expect(idsIn(await create(place).load(session))).toEqual([id, "c"]);
    }
  });

  test("lets one of two writers win also when both write the same, as two that resume one run do", async () => {
    const place = newFolder();
    for (let round = 0; round < 20; round++) {
      const [one, two] = [create(place), create(place)];
      for (let revision = 1; revision <= 3; revision++) {
        const writes = await Promise.allSettled([one, two].map((store) => store.save(`trip ${round}`, change(revision, 0, ["a"]))));
        expect(writes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      }
    }
  });
});

describe("JsonlSessionStore", () => {
  const fileIn = (folder: string) => join(folder, readdirSync(folder)[0] ?? "");

  test("leaves out a line that was cut off, at whatever byte, and goes on behind the whole ones", async () => {
    const folder = newFolder();
    const writer = new JsonlSessionStore(folder, { sync: false });
    await writer.save("trip", change(1, 0, ["ä"]));
    const first = readFileSync(fileIn(folder));
    await writer.save("trip", change(2, 1, ["ö"]));
    const whole = readFileSync(fileIn(folder));
    for (let length = first.length; length < whole.length; length++) {
      writeFileSync(fileIn(folder), whole.subarray(0, length));
      const store = new JsonlSessionStore(folder, { sync: false });
      expect(idsIn(await store.load("trip"))).toEqual(["ä"]);
      await store.save("trip", change(2, 1, ["ü"]));
      expect(idsIn(await new JsonlSessionStore(folder).load("trip"))).toEqual(["ä", "ü"]);
    }
  });

  test("names the damaged line of a file", async () => {
    const folder = newFolder();
    const store = new JsonlSessionStore(folder);
    await store.save("trip", change(1, 0, ["a"]));
    appendFileSync(fileIn(folder), "{]\n");
    await expect(store.load("trip")).rejects.toThrow(/Session "trip" could not be read: line 2 is damaged/);
  });

  test("lists sessions beside one that is damaged and files that are none", async () => {
    const folder = newFolder();
    const store = new JsonlSessionStore(folder);
    await store.save("trip", change(1, 0, ["a"]));
    for (const name of ["damaged.jsonl", "100%.jsonl", "a b.jsonl", "notes.txt", ".jsonl"]) writeFileSync(join(folder, name), "{]\n");
    const infos = await store.list();
    expect(infos.map(({ sessionId, status, messageCount }) => [sessionId, status, messageCount]).sort()).toEqual([
      ["damaged", "failed", 0],
      ["trip", "running", 1],
    ]);
    expect(infos.find(({ sessionId }) => sessionId === "damaged")?.problem).toMatch(/line 1 is damaged/);
  });

  test("writes files that only their owner can read", async () => {
    const folder = newFolder();
    await new JsonlSessionStore(join(folder, "private")).save("trip", change(1, 0, ["a"]));
    expect(statSync(join(folder, "private")).mode & 0o777).toBe(0o700);
    expect(statSync(fileIn(join(folder, "private"))).mode & 0o777).toBe(0o600);
  });

  test.each([
    ["an empty id", ""],
    ["an id that is too long", "x".repeat(201)],
  ])("refuses %s", async (_, id) => {
    await expect(new JsonlSessionStore(newFolder()).save(id, change(1, 0, ["a"]))).rejects.toMatchObject({ code: "session" });
  });
});

/** Holds a lock on a new database until some time after its input has ended. */
const HOLDER = `
  const { DatabaseSync } = require("node:sqlite");
  const database = new DatabaseSync(process.argv[1]);
  database.exec("CREATE TABLE other (a); BEGIN EXCLUSIVE");
  process.stdout.write("held");
  process.stdin.once("end", () => setTimeout(() => database.exec("COMMIT"), 250)).resume();
`;

describe("SqliteSessionStore", () => {
  test("opens its database again after close", async () => {
    const store = new SqliteSessionStore(join(newFolder(), "sessions.db"));
    await store.save("trip", change(1, 0, ["a"]));
    await store.close();
    await store.close();
    expect(idsIn(await store.load("trip"))).toEqual(["a"]);
  });

  test("waits for another process that has the database for itself while the store opens it", async () => {
    const path = join(newFolder(), "sessions.db");
    const holder = spawn(process.execPath, ["-e", HOLDER, path], { stdio: ["pipe", "pipe", "inherit"] });
    await once(holder.stdout, "data");
    const loading = new SqliteSessionStore(path).load("trip");
    holder.stdin.end();
    expect(await loading).toBeUndefined();
    await once(holder, "close");
  });

  test("takes a delete back that fails in its middle, and can be used on", async () => {
    const path = join(newFolder(), "sessions.db");
    const store = new SqliteSessionStore(path);
    await store.save("trip", change(1, 0, ["a"]));
    const database = new DatabaseSync(path);
    database.exec("CREATE TRIGGER refuse BEFORE DELETE ON triact_messages BEGIN SELECT RAISE(FAIL, 'refused'); END");
    await expect(store.delete("trip")).rejects.toThrow("refused");
    expect(idsIn(await store.load("trip"))).toEqual(["a"]);
    database.exec("DROP TRIGGER refuse");
    await store.delete("trip");
    expect(await store.load("trip")).toBeUndefined();
    database.close();
  });
});
