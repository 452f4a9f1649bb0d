import { describe, expect, test } from "vitest";
import { FakeTiming, type Fixture, hasRecordings, outcomeOf, ownFixtures, protocols, read, recordedFixtures } from "./kit.js";
import { type Answer, byteByByte, cutAfter, resetAfter, silentAfter, startServer, whole, withCrlf } from "./server.js";

/** Reads a stream as a server sends it, without retries. */
async function reply({ protocol }: Fixture, answer: Answer, timing = new FakeTiming()) {
  const server = await startServer(answer);
  const model = protocols[protocol].model(server.url, { maxRetries: 0, timing });
  return { server, timing, promise: read(model) };
}

function describeStreams(fixtures: readonly Fixture[]): void {
  describe.each(fixtures.map((each) => [`${each.protocol}/${each.name}`, each] as const))("%s", (_name, recorded) => {
    const blocks = protocols[recorded.protocol].blocks(recorded.events);
    const wholeFrom = recorded.events.findIndex((event) => protocols[recorded.protocol].ends(event)) + 1;

    test("is the same message whole, one byte at a time, and with CRLF", async () => {
      const expected = await (await reply(recorded, whole(blocks))).promise;
      for (const answer of [byteByByte(blocks), withCrlf(blocks)]) {
        const read = await (await reply(recorded, answer)).promise;
        expect(outcomeOf(read)).toEqual(outcomeOf(expected));
        expect(read.error?.message).toEqual(expected.error?.message);
      }
      expect(expected.finishReason !== undefined || expected.error !== undefined).toBe(true);
    });

    test.each([
      ["ended", cutAfter],
      ["reset", resetAfter],
    ])("%s at an event boundary it is the same message or one failure that may be retried", async (_how, cut) => {
      const expected = await (await reply(recorded, whole(blocks))).promise;
      for (const count of boundaries(blocks.length)) {
        const { content, error, events, finishReason } = await (await reply(recorded, cut(blocks, count))).promise;
        if (error === undefined) {
          expect({ content, finishReason }).toEqual({ content: expected.content, finishReason: expected.finishReason });
          expect(count).toBeGreaterThanOrEqual(wholeFrom);
        } else {
          expect(error.errorClass).toBe(expected.error?.errorClass === "billing" && count >= wholeFrom ? "billing" : "network");
          expect(events.some(({ type }) => type === "finish")).toBe(false);
        }
      }
    });

    test("silent at an event boundary it is the same message or a timeout", async () => {
      const expected = await (await reply(recorded, whole(blocks))).promise;
      for (const count of boundaries(blocks.length).filter((_, index) => index % 5 === 0)) {
        const { promise, timing } = await reply(recorded, silentAfter(blocks, count));
        const { content, error } = await timing.passUntil(promise);
        if (error === undefined) expect(content).toEqual(expected.content);
        else expect(error.errorClass).toBe(count >= wholeFrom ? expected.error?.errorClass : "timeout");
        expect(timing.pending).toBe(0);
      }
    });
  });
}

/** All of them in short streams, in long ones the first, the last and some between. */
function boundaries(count: number): number[] {
  const step = Math.max(1, Math.floor(count / 25));
  return Array.from({ length: count }, (_, index) => index).filter((index) => index % step === 0 || index > count - 6);
}

describeStreams(ownFixtures);

describe.skipIf(!hasRecordings)(hasRecordings ? "recorded" : "recorded (skipped: the recordings are not here)", () => {
  describeStreams(recordedFixtures);
});
