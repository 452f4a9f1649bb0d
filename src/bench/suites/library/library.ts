import { z } from "zod";
import { createTool } from "../../../base/tool.js";
import { sameNumber, sameText } from "../../answers.js";
import { Random } from "../../random.js";
import { reusableTools } from "../../reusable-tools.js";
import { defineSuite, type Suite, type Task } from "../../suite.js";
import { type LibraryDocument, writeDocuments } from "./library-documents.js";
import { chainQuestions, comparisons } from "./library-questions.js";
import { patternsOf, type RelationName } from "./library-relations.js";
import { LibrarySearch } from "./library-search.js";
import { makeWorld } from "./library-world.js";

/**
 * Research in a few hundred short invented documents, with `search` and `open`. Questions need 1 to 4 documents one after the other; with the flag
 * `contradicted`, a document on the way says that it was corrected, or its subject moved or renamed, and leads elsewhere than the obvious plan;
 * with the flag `compare`, four documents can be read at once.
 */
export function library(): Suite {
  return defineSuite({
    name: "library",
    version: "1",
    description: "Questions of 1 to 4 steps over a few hundred invented documents, some of which contradict the obvious plan.",
    tasks({ seed }) {
      const random = new Random(seed, "library");
      const world = makeWorld(random);
      const shelf = shelfOf(writeDocuments(world, random));
      const chains = chainQuestions(world, random).map((question, index) =>
        taskOf({
          id: `${question.chain.length}-${question.corrections > 0 ? "contradicted" : "plain"}/${index + 1}`,
          template: question.chain.join(" of "),
          flags: question.corrections > 0 ? ["contradicted"] : [],
          knobs: { hops: question.chain.length, corrections: question.corrections },
          program: chainProgram(question.start, question.chain),
          shelf,
          ...asked(question),
        }),
      );
      const compared = comparisons(world, random).map((comparison, index) =>
        taskOf({
          id: `compare/${index + 1}`,
          template: `compare ${comparison.relation}`,
          flags: ["compare"],
          knobs: { hops: 1, corrections: 0 },
          program: comparisonProgram(comparison.names, comparison.relation),
          shelf,
          ...asked(comparison),
        }),
      );
      return [...chains, ...compared];
    },
  });
}

interface Shelf {
  readonly search: LibrarySearch;
  readonly byId: ReadonlyMap<string, LibraryDocument>;
}

function shelfOf(documents: readonly LibraryDocument[]): Shelf {
  return { search: new LibrarySearch(documents), byId: new Map(documents.map((document) => [document.id, document])) };
}

type LibraryTaskOptions = Omit<Task, "start"> & { readonly answer: string; readonly shelf: Shelf };

function asked({ question, answer }: { question: string; answer: string }): { question: string; answer: string } {
  return { question, answer };
}

function taskOf({ answer, shelf, question, ...rest }: LibraryTaskOptions): Task {
  const right = /^\d+$/.test(answer) ? (given: string) => sameNumber(given, Number(answer)) : (given: string) => sameText(given, answer);
  return {
    ...rest,
    question: `The library holds short articles, one on each person, town, river, region, institution, event and work. ${question}`,
    start: () => ({
      tools: toolsOver(shelf),
      writes: [],
      check: (given) => (right(given) ? { solved: true } : { solved: false, reason: `the answer should be ${answer}` }),
    }),
  };
}

const toolsOver = reusableTools<Shelf>((shelf) => [
  createTool({
    name: "search",
    description:
      "Searches titles and texts of the library for words, and lists the documents that fit best. A document whose title is the query comes first.",
    inputSchema: z.object({ query: z.string(), limit: z.int().min(1).max(10).default(5) }),
    outputSchema: z.object({
      results: z.array(z.object({ id: z.string(), title: z.string(), beginning: z.string().describe("how the text begins") })),
    }),
    execute: ({ query, limit }) => ({ results: shelf().search.find(query, limit) }),
  }),
  createTool({
    name: "open",
    description: "Opens a document of the library and gives its whole text.",
    inputSchema: z.object({ id: z.string().describe("An id from search, for example doc-101.") }),
    outputSchema: z.object({ id: z.string(), title: z.string(), text: z.string() }),
    execute: ({ id }) => {
      const document = shelf().byId.get(id);
      if (document === undefined) throw new Error(`There is no document ${id}.`);
      return document;
    },
  }),
]);

/** Reads an article and whatever it says to see; what is said last holds. */
const reading = `const read = async (title) => {
  const { results } = await search({ query: title });
  const { text } = await open({ id: results.find((result) => result.title === title).id });
  const further = await Promise.all([...text.matchAll(/see “([^”]+)”/g)].map(([, other]) => read(other)));
  return [...text.split(/(?<=[.])\\s+/), ...further.flat()];
};
const fact = async (title, patterns) => {
  const matches = (await read(title)).flatMap((sentence) => patterns.map((pattern) => sentence.match(pattern)));
  return matches.findLast((match) => match !== null)[1];
};`;

function chainProgram(start: string, chain: readonly RelationName[]): string {
  const steps = chain.map(
    (relation, index) =>
      `const step${index + 1} = await fact(${index === 0 ? JSON.stringify(start) : `step${index}`}, ${patternSource(relation)});`,
  );
  return [reading, ...steps, `return step${chain.length};`].join("\n");
}

function comparisonProgram(names: readonly string[], relation: RelationName): string {
  return `${reading}
const names = ${JSON.stringify(names)};
const years = await Promise.all(names.map(async (name) => Number(await fact(name, ${patternSource(relation)}))));
return names[years.indexOf(Math.min(...years))];`;
}

function patternSource(relation: RelationName): string {
  return `[${patternsOf(relation)
    .map((pattern) => `/${pattern}/`)
    .join(", ")}]`;
}
