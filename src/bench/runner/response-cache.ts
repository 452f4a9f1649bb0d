import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { MessagePart } from "../../base/message.js";
import type { AgentModel, AgentModelEvent, AgentModelRequest } from "../../base/model.js";
import { identityOf } from "./passing-trouble.js";

/** What {@link cachingModel} takes. */
export interface ResponseCacheOptions {
  /** Where replies are kept, one file each. */
  readonly folder: string;
  /** Name of the model, as part of the key. */
  readonly model: string;
  /** Trials of one task get replies of their own. */
  readonly trial: number;
  /** Called with whether a reply came from the cache. */
  readonly onReply: (cached: boolean) => void;
}

/**
 * A model that is asked once for equal requests: same instructions, messages, tools, settings and trial, whatever the ids and times of the messages are. Replies
 * that failed are not kept.
 */
export function cachingModel(model: AgentModel, { folder, model: name, trial, onReply }: ResponseCacheOptions): AgentModel {
  return {
    ...identityOf(model),
    async *stream(request) {
      const key = requestKey(request, { model: name, trial });
      const path = join(folder, key.slice(0, 2), `${key}.json`);
      const known = await readFile(path, "utf8").catch(() => undefined);
      onReply(known !== undefined);
      if (known !== undefined) {
        yield* JSON.parse(known) as AgentModelEvent[];
        return;
      }
      const events: AgentModelEvent[] = [];
      for await (const event of model.stream(request)) {
        events.push(event);
        const isGood = event.type === "finish" && event.reason !== "error" && event.reason !== "aborted";
        if (isGood) await store(path, events); // before the reader acts on the end, who need not come back
        yield event;
      }
    },
  };
}

/** The key of a request. */
export function requestKey(request: AgentModelRequest, settings: { readonly model: string; readonly trial: number }): string {
  return createHash("sha256")
    .update(JSON.stringify([settings, normalised(request)]))
    .digest("hex");
}

/** The request without what differs from run to run. Ids of calls are numbered in the order in which they appear. */
function normalised({ systemPrompt, messages, tools, options, responseFormat }: AgentModelRequest): unknown {
  const numbers = new Map<string, number>();
  const numberOf = (id: string) => {
    if (!numbers.has(id)) numbers.set(id, numbers.size + 1);
    return numbers.get(id);
  };
  const withoutIds = (part: MessagePart) => ("toolCallId" in part ? { ...part, toolCallId: numberOf(part.toolCallId) } : part);
  return {
    systemPrompt,
    messages: messages.map(({ role, content }) => ({ role, content: content.map(withoutIds) })),
    tools: tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    options,
    responseFormat,
  };
}

/** Written beside and renamed, so that nobody reads half of it. */
async function store(path: string, events: readonly AgentModelEvent[]): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  await writeFile(draft, JSON.stringify(events));
  await rename(draft, path);
}
