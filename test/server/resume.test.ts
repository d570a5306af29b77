import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { EMPTY, filter, firstValueFrom } from "rxjs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ModelEvent } from "../../ports/model.ts";
import { TraceLog } from "../../visualize/trace/index.ts";
import { deferred, scripted } from "../support/model.ts";
import { enters, isLive, Served, type Sse, SseReader, tracesOf } from "./support.ts";

const WRITE = `{ tool: write_to_file, input: { path: a.txt, content: "two\\n" } }`;
const DONE = `{ tool: attempt_completion, input: { result: All done. } }`;
const LONG = `{ text: "${"A delta and another one. ".repeat(20)}", chunk: 8, delayMs: 2 }`;

/** The whole stream of a task, up to `live`. */
async function whole(served: Served, id: string, lastEventId?: string): Promise<readonly Sse[]> {
  const stream = await SseReader.open(served, `/api/tasks/${id}/events`, lastEventId);
  const events = await stream.until(isLive);
  stream.close();
  return events.filter(({ event }) => event === "message");
}

/** The stream of a task that is cut after each of these events, and resumed with the last id. */
async function cutAt(served: Served, id: string, cuts: readonly number[]): Promise<readonly Sse[]> {
  const events: Sse[] = [];
  for (const cut of [...new Set(cuts)].sort((a, b) => a - b)) {
    const stream = await SseReader.open(served, `/api/tasks/${id}/events`, events.at(-1)?.id);
    while (events.length < cut) {
      const event = await stream.next();
      if (event === undefined || event.event !== "message") break;
      events.push(event);
    }
    stream.close();
  }
  return [...events, ...(await whole(served, id, events.at(-1)?.id))];
}

describe("a stream that is cut anywhere and resumed equals the uncut stream (field failure 22)", () => {
  let served: Served;
  let id: string;
  beforeAll(async () => {
    served = await Served.open({
      script: `[[${LONG}, ${WRITE}], [${LONG}, ${DONE}]]`,
      files: { "a.txt": "one\n" },
      task: { llm: { frameMs: 0 } },
    });
    ({ id } = await served.create("Change it"));
    const stream = await SseReader.open(served, `/api/tasks/${id}/events`);
    await stream.until(enters("waiting_for_input"));
    const [ask] = (await served.info(id)).asks;
    await served.post(`/api/tasks/${id}/asks/${ask?.askId}/answer`, { kind: "yes" });
    await stream.until(enters("idle"));
    stream.close();
  });
  afterAll(() => served[Symbol.asyncDispose]());

  test("while the task is open, with all its growth", async () => {
    const uncut = await whole(served, id);
    const growth = tracesOf(uncut).filter(
      ({ record }) => record.kind === "commit" && record.log.some(({ type }) => type === "message.grown"),
    );
    expect(growth.length).toBeGreaterThan(2);
    expect(tracesOf(uncut).map(({ seq }) => seq)).toEqual(uncut.map((_, place) => place));
    for (let cut = 1; cut <= uncut.length; cut += 1) expect(await cutAt(served, id, [cut])).toEqual(uncut);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(uncut.length), { minLength: 2, maxLength: 5 }), async (cuts) => {
        expect(await cutAt(served, id, cuts)).toEqual(uncut);
      }),
      { numRuns: 20 },
    );
  });

  test("of a recorded task that is not open", async () => {
    await served.post(`/api/tasks/${id}/close`);
    const uncut = await whole(served, id);
    for (let cut = 1; cut <= uncut.length; cut += 1) expect(await cutAt(served, id, [cut])).toEqual(uncut);
  });

  test("across a restart of the server, when the task is opened again", async () => {
    const before = await whole(served, id);
    await served.restart();
    expect(await whole(served, id, before.at(-1)?.id)).toEqual([]);
    const half = before[Math.floor(before.length / 2)];
    const rest = await whole(served, id, half?.id);
    expect(rest).toEqual(before.slice(Math.floor(before.length / 2) + 1));
    const stream = await SseReader.open(served, `/api/tasks/${id}/events`, before.at(-1)?.id);
    await stream.until(isLive);
    expect((await served.post(`/api/tasks/${id}/open`)).status).toBe(200);
    const opened = await stream.until(({ event }) => event === "message");
    stream.close();
    expect(tracesOf(opened)).toMatchObject([
      { seq: before.length, record: { cause: { type: "task.recovered" } } },
    ]);
  });
});

test("a client that missed growth which is no longer buffered gets the whole message, once", async () => {
  const received = deferred();
  const streamed = deferred();
  async function* turn(): AsyncGenerator<ModelEvent> {
    for (let delta = 0; delta < DELTAS; delta += 1) {
      // The client reads the first growth, and misses the rest.
      if (delta === 2) await received.promise;
      yield { type: "text.delta", text: `delta ${delta} ` };
      // A frame ends with the turn of the event loop.
      await setImmediate();
    }
    await streamed.promise;
  }
  await using served = await Served.open({
    model: scripted([turn]),
    task: { llm: { frameMs: 0 } },
    bounds: { liveEvents: 3 },
  });
  const { id } = await served.create("Say much");
  const first = await SseReader.open(served, `/api/tasks/${id}/events`);
  const task = served.host.tasks.get(id);
  const begin = await first.until(({ data }) => data.includes('"message.grown"'));
  first.close();
  received.resolve();
  const isSaid = (): boolean =>
    task?.log.toArray().some(({ text }) => text?.includes(`delta ${DELTAS - 1}`)) === true;
  if (!isSaid()) await firstValueFrom(task?.events$.pipe(filter(isSaid)) ?? EMPTY);
  const rest = await whole(served, id, begin.at(-1)?.id);
  expect(rest.filter(({ data }) => data.includes('"message.amended"'))).toHaveLength(1);
  // And for a new client.
  for (const events of [[...begin, ...rest], await whole(served, id)]) {
    const trace = new TraceLog(id, tracesOf(events));
    expect(trace.moment(trace.length - 1).memory.log.toArray()).toEqual(task?.log.toArray());
  }
  streamed.resolve();
});

const DELTAS = 60;
