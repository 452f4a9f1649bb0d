import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { AgentConfigError } from "../../../base/errors.js";

const tolerance = z.number().nonnegative().default(0);

const answerSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("text") }),
  z.object({ kind: z.literal("number"), abs_tol: tolerance }),
  z.object({ kind: z.literal("number_list"), abs_tol: tolerance }),
  z.object({ kind: z.literal("boolean") }),
  z.object({ kind: z.literal("counts") }),
  z.object({ kind: z.literal("pair_or_first") }),
]);

const taskSchema = z.object({
  id: z.string(),
  domain: z.string(),
  question: z.string(),
  tools: z.array(z.string()),
  expected: z.object({ value: z.json() }),
  check: answerSchema,
  flags: z.array(z.string()),
  note: z.string().optional(),
});

const toolSchema = z.object({
  name: z.string(),
  description: z.string(),
  params: z.array(z.object({ name: z.string(), type: z.string(), description: z.string().optional() })),
  returns: z.string(),
});

const callSchema = z.object({ level: z.int(), tool: z.string(), args: z.record(z.string(), z.json()), result: z.json() });

const travelSchema = z.object({
  locations: z.array(z.string()),
  flights: z.array(z.looseObject({ from_location: z.string(), to_location: z.string(), date: z.string() })),
  hotels: z.array(z.looseObject({ location: z.string(), preferences: z.array(z.string()) })),
});

const websiteSchema = z.object({
  start_page: z.string(),
  lines_per_window: z.int().positive(),
  pages: z.array(z.object({ name: z.string(), content: z.string() })),
});

const dnaSchema = z.object({
  dna_to_mrna: z.record(z.string(), z.string()),
  mrna_to_dna: z.record(z.string(), z.string()),
  codons: z.record(z.string(), z.string()),
  unknown_codon: z.string(),
  valid_letters: z.array(z.string()),
});

const recordingSchema = z.object({ id: z.string(), calls: z.array(callSchema), answer: z.json() });

/** How an answer of M3ToolEval is compared. */
export type M3Answer = z.infer<typeof answerSchema>;

/** A task of M3ToolEval. */
export type M3Task = z.infer<typeof taskSchema>;

/** What M3ToolEval says of a tool. */
export type M3Tool = z.infer<typeof toolSchema>;

/** A recorded call. */
export type M3Call = z.infer<typeof callSchema>;

/** A recorded solution of a task. */
export type M3Recording = z.infer<typeof recordingSchema>;

/** All of the folder. */
export interface M3Data {
  readonly tasks: readonly M3Task[];
  /** By domain. */
  readonly tools: Readonly<Record<string, { readonly tools: readonly M3Tool[] }>>;
  readonly travel: z.infer<typeof travelSchema>;
  readonly website: z.infer<typeof websiteSchema>;
  readonly dna: z.infer<typeof dnaSchema>;
  /** By id of the task; empty when the folder has no recordings. */
  readonly recordings: ReadonlyMap<string, M3Recording>;
}

/** Reads the folder. @throws AgentConfigError naming the file that is missing or not as expected. */
export async function readM3Data(folder: string): Promise<M3Data> {
  const [{ tasks }, { domains }, travel, website, dna, recordings] = await Promise.all([
    read(folder, "tasks.json", z.object({ tasks: z.array(taskSchema) })),
    read(folder, "tools.json", z.object({ domains: z.record(z.string(), z.object({ tools: z.array(toolSchema) })) })),
    read(folder, "travel.json", travelSchema),
    read(folder, "website.json", websiteSchema),
    read(folder, "dna.json", dnaSchema),
    readRecordings(folder),
  ]);
  return { tasks, tools: domains, travel, website, dna, recordings: new Map(recordings.map((recording) => [recording.id, recording])) };
}

/** The one file that the suite can do without: tasks then have no reference program. */
async function readRecordings(folder: string): Promise<readonly M3Recording[]> {
  try {
    return (await read(folder, "reference_calls.json", z.object({ tasks: z.array(recordingSchema) }))).tasks;
  } catch (error) {
    if (error instanceof AgentConfigError && (error.cause as NodeJS.ErrnoException | undefined)?.code === "ENOENT") return [];
    throw error;
  }
}

async function read<Schema extends z.ZodType>(folder: string, file: string, schema: Schema): Promise<z.output<Schema>> {
  const path = join(folder, file);
  const fail = (problem: string, cause: unknown) =>
    new AgentConfigError({ field: "suite m3tooleval.data", problem: `${path} ${problem}`, cause });
  let content: unknown;
  try {
    content = JSON.parse(await readFile(path, "utf8"));
  } catch (cause) {
    throw fail(`could not be read: ${(cause as Error).message}`, cause);
  }
  const parsed = schema.safeParse(content);
  if (parsed.success) return parsed.data;
  const { path: at = [], message = "" } = parsed.error.issues[0] ?? {};
  throw fail(`is not as expected at ${at.join(".")}: ${message}`, parsed.error);
}
