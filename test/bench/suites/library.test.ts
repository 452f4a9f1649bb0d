import { library, Random, runProgram, type Task } from "triact/bench";
import { expect, test } from "vitest";
import { writeDocuments } from "../../../src/bench/suites/library/library-documents.js";
import { LibrarySearch } from "../../../src/bench/suites/library/library-search.js";
import { makeWorld } from "../../../src/bench/suites/library/library-world.js";
import { suiteLaws } from "./suite-laws.js";

suiteLaws(library(), { seeds: [1, 2, 3, 4, 5], floor: () => [] });

const documentsOf = (seed: number) => {
  const random = new Random(seed, "library");
  return writeDocuments(makeWorld(random), random);
};

test("a few hundred short documents, with titles that no other has, and different for each seed", () => {
  const documents = documentsOf(1);
  expect(documents.length).toBeGreaterThan(250);
  expect(documents.length).toBeLessThan(400);
  expect(new Set(documents.map(({ title }) => title)).size).toBe(documents.length);
  expect(Math.max(...documents.map(({ text }) => text.length))).toBeLessThan(700);
  const others = new Set(documentsOf(2).map(({ text }) => text));
  expect(documents.filter(({ text }) => others.has(text)).length).toBeLessThan(10);
});

test("questions of 1 to 4 steps, a third of them contradicted on the way, and some that compare", async () => {
  const tasks = await library().tasks({ seed: 1 });
  const count = (hops: number, flag: string | undefined) =>
    tasks.filter(({ knobs, flags = [] }) => knobs?.["hops"] === hops && flags[0] === flag).length;
  expect([1, 2, 3, 4].map((hops) => [count(hops, undefined), count(hops, "contradicted")])).toEqual([
    [8, 4],
    [10, 5],
    [10, 5],
    [8, 4],
  ]);
  expect(count(1, "compare")).toBe(6);
  expect(new Set(tasks.map(({ template }) => template)).size).toBeGreaterThan(35);
});

test("who does not follow a correction does not find the answer", async () => {
  const tasks = (await library().tasks({ seed: 1 })).filter(({ flags = [] }) => flags.includes("contradicted"));
  for (const task of tasks) {
    const trial = await task.start({ seed: 1 });
    const believing = (task.program ?? "").replace("...further.flat()", "");
    const answer = await runProgram(believing, trial.tools).then(
      (result) => result.answer,
      () => "", // a document that only says where to look has nothing to believe
    );
    expect(await trial.check(answer), task.question).toMatchObject({ solved: false });
  }
});

test("more steps take more documents, one after the other", async () => {
  for (const task of await library().tasks({ seed: 1 })) {
    const { tools } = await task.start({ seed: 1 });
    const { calls } = await runProgram(task.program ?? "", tools);
    const opened = calls.filter(({ toolName }) => toolName === "open").length;
    const { hops, corrections } = task.knobs as { hops: number; corrections: number };
    if (task.flags?.includes("compare") !== true) expect(opened, task.question).toBeGreaterThanOrEqual(hops + corrections);
  }
});

test("search puts the document first whose title is asked for, and finds words in texts", () => {
  const search = new LibrarySearch([
    { id: "a", title: "Transfer of The Silent Lantern", text: "The Silent Lantern, The Silent Lantern. Kept in Dunby." },
    { id: "b", title: "The Silent Lantern", text: "It is a work of somebody." },
    { id: "c", title: "Dunby", text: "A town." },
  ]);
  expect(search.find("the silent lantern", 5).map(({ id }) => id)).toEqual(["b", "a"]);
  expect(search.find("Dunby", 5).map(({ id }) => id)).toEqual(["c", "a"]);
  expect(search.find("work", 1)).toEqual([{ id: "b", title: "The Silent Lantern", beginning: "It is a work of somebody.…" }]);
  expect(search.find("nothing of that", 5).map(({ id }) => id)).not.toContain("c");
});

test("a document that is not there is refused", async () => {
  const [task] = (await library().tasks({ seed: 1 })) as [Task];
  const { tools } = await task.start({ seed: 1 });
  await expect(runProgram('await open({ id: "doc-1" }); return "";', tools)).rejects.toThrow("open: There is no document doc-1.");
});
