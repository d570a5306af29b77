import { once } from "node:events";
import { type ClientRequest, get, type IncomingMessage } from "node:http";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { systemClock } from "../../actors/index.ts";
import type { ModelEvent } from "../../ports/model.ts";
import { TraceLog } from "../../visualize/trace/index.ts";
import { PIXEL } from "../support/host.ts";
import { deferred, scripted } from "../support/model.ts";
import { enters, isLive, Served, SseReader, tracesOf } from "./support.ts";

const CHUNK = "x".repeat(100_000);
const CHUNKS = 150;

/** A model that streams more than a connection buffers, and then nothing. */
function talker() {
  const may = deferred();
  const isSaid = deferred();
  async function* turn(): AsyncGenerator<ModelEvent> {
    yield { type: "text.delta", text: "Well. " };
    await may.promise;
    for (let chunk = 0; chunk < CHUNKS; chunk += 1) {
      yield { type: "text.delta", text: CHUNK };
      await setImmediate();
    }
    isSaid.resolve();
    await new Promise(() => {});
  }
  const task = { llm: { frameMs: 0, answerMaxChars: 1e9 } };
  return { model: scripted([turn]), task, may, isSaid };
}

/** A stream that is not read. */
async function unread(
  served: Served,
  where: string,
): Promise<{ request: ClientRequest; response: IncomingMessage }> {
  const headers = { authorization: `Bearer ${served.server.token}` };
  const request = get(`${served.server.url}${where}`, { headers });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.on("error", () => undefined);
  return { request, response };
}

test("a reader that falls behind the buffer is disconnected, and gets everything when it reconnects", async () => {
  const { model, task, may, isSaid } = talker();
  await using served = await Served.open({ model, task });
  const { id } = await served.create("Talk");
  const { response } = await unread(served, `/api/tasks/${id}/events`);
  may.resolve();
  await isSaid.promise;
  let received = "";
  for await (const chunk of response.setEncoding("utf8")) received += chunk;
  expect(received).toMatch(/event: end\ndata: \{"reason":"behind"\}\n\n$/);
  // Most of it was never buffered.
  expect(received.length).toBeLessThan((CHUNKS * CHUNK.length) / 2);
  const events = received.split("\n\n").flatMap((block) => {
    const [, lastId, data] = /^id: (.+)\ndata: (.+)$/s.exec(block) ?? [];
    return data === undefined ? [] : [{ event: "message", id: lastId, data }];
  });
  const again = await SseReader.open(served, `/api/tasks/${id}/events`, events.at(-1)?.id);
  const rest = await again.until(isLive);
  again.close();
  const trace = new TraceLog(id, tracesOf([...events, ...rest]));
  const messages = served.host.tasks.get(id)?.log.toArray();
  expect(trace.moment(trace.length - 1).memory.log.toArray()).toEqual(messages);
});

test("a reader that takes nothing for `stallMs` is disconnected", async () => {
  const { model, task, may, isSaid } = talker();
  await using served = await Served.open({ model, task, bounds: { stallMs: 1, liveChars: 1e9 } });
  const { id } = await served.create("Talk");
  const { request, response } = await unread(served, `/api/tasks/${id}/events`);
  expect(served.server.streams).toBe(1);
  // Its connection is reset.
  const gone = once(request.socket ?? request, "close");
  may.resolve();
  await isSaid.promise;
  response.resume();
  await gone;
  expect(response.complete).toBe(false);
});

test("a server that closes disconnects a reader that takes nothing", async () => {
  const { model, task, may, isSaid } = talker();
  // The text is one write at the end, which exceeds what a connection buffers.
  const bounds = { liveChars: 1e9, chunkChars: 1e9, coalesceMs: 1e9 };
  await using served = await Served.open({ model, task, bounds });
  const { id } = await served.create("Talk");
  const { request, response } = await unread(served, `/api/tasks/${id}/events`);
  const gone = once(request.socket ?? request, "close");
  may.resolve();
  await isSaid.promise;
  await served.server.close();
  expect(served.server.streams).toBe(0);
  response.resume();
  await gone;
  expect(response.complete).toBe(false);
});

test("a silent stream sends heartbeats", async () => {
  const beats: (() => void)[] = [];
  const clock = {
    ...systemClock,
    after(delayMs: number, fire: () => void): () => void {
      if (delayMs !== HEARTBEAT_MS) return systemClock.after(delayMs, fire);
      beats.push(fire);
      return () => undefined;
    },
  };
  await using served = await Served.open({
    script: "- text: Hello.",
    clock,
    bounds: { heartbeatMs: HEARTBEAT_MS },
  });
  const { request, response } = await unread(served, "/api/events");
  const pieces = response.setEncoding("utf8")[Symbol.asyncIterator]();
  await pieces.next();
  beats.at(-1)?.();
  let received = "";
  while (!received.includes(": here\n\n")) received += (await pieces.next()).value;
  request.destroy();
});

const HEARTBEAT_MS = 12_345;

test("two clients get the same events of one task, and each changed task's info", async () => {
  const DONE = `{ tool: attempt_completion, input: { result: All done. } }`;
  await using served = await Served.open({ script: `[[{ text: Hello there. }, ${DONE}]]` });
  const cards = await SseReader.open(served, "/api/events");
  expect(await cards.next()).toMatchObject({ event: "tasks", data: '{"tasks":[]}' });
  const { id } = await served.create("Say hello");
  const clients = await Promise.all([1, 2].map(() => SseReader.open(served, `/api/tasks/${id}/events`)));
  const received = await Promise.all(clients.map((client) => client.until(enters("idle"))));
  const [one, two] = received.map((events) => events.filter(({ event }) => event === "message"));
  expect(one).toEqual(two);
  await cards.until(({ event, data }) => event === "task" && data.includes('"state":"idle"'));
  const renamed = await served.fetch(`/api/tasks/${id}`, { method: "PATCH", json: { title: "Greeting" } });
  expect(await renamed.json()).toMatchObject({ title: "Greeting", state: "idle" });
  await cards.until(({ data }) => data.includes('"title":"Greeting"'));
  const forked = await served.post(`/api/tasks/${id}/fork`, { at: 2 });
  expect(forked.status).toBe(201);
  const { id: forkId } = (await forked.json()) as { id: string };
  await cards.until(({ data }) => data.includes(forkId));
  expect((await served.trace(forkId)).map(({ seq }) => seq)).toEqual([0, 1, 2]);
  expect((await served.post(`/api/tasks/${forkId}/open`)).status).toBe(200);
  expect(await served.info(forkId)).toMatchObject({ state: "resumable", isOpen: true });
  const queued = await served.post(`/api/tasks/${forkId}/queue`, { text: "And more" });
  expect(queued.status).toBe(201);
  const { id: messageId } = (await queued.json()) as { id: string };
  const message = `/api/tasks/${forkId}/queue/${messageId}`;
  expect((await served.fetch(message, { method: "PATCH", json: { text: "And less" } })).status).toBe(204);
  expect(served.host.tasks.get(forkId)?.snapshot.context.queue).toMatchObject([{ text: "And less" }]);
  const seen = { text: "And see", images: [PIXEL] };
  expect((await served.fetch(message, { method: "PATCH", json: seen })).status).toBe(204);
  expect(served.host.tasks.get(forkId)?.snapshot.context.queue).toMatchObject([seen]);
  expect((await served.fetch(message, { method: "DELETE" })).status).toBe(204);
  expect((await served.fetch(message, { method: "DELETE" })).status).toBe(409);
  for (const client of [...clients, cards]) client.close();
});
