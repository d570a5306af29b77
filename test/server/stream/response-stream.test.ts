import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../../actors/index.ts";
import { ServerError } from "../../../server/index.ts";
import { type Connection, ResponseStream } from "../../../server/stream/response-stream.ts";
import { CLOSE_MS, Streams } from "../../../server/streams.ts";

const STALL_MS = 30_000;
/** The bytes that a body takes before a write waits. */
const ROOM = 16 * 1024;

/** A stream with a controlled clock. */
function openStream(connection: Connection = {}) {
  const timers = new Map<() => void, number>();
  const clock = {
    now: () => 0,
    after(delayMs: number, fire: () => void) {
      timers.set(fire, delayMs);
      return () => timers.delete(fire);
    },
  };
  const stream = new ResponseStream({ connection, clock, bounds: { stallMs: STALL_MS } });
  const pass = (ms: number): void => {
    for (const [fire, delayMs] of timers) if (delayMs <= ms) fire();
  };
  return { stream, clock, pass, timers };
}

/** Whether a promise has settled after all that is due now. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  promise.finally(() => {
    settled = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return settled;
}

test("L14: a write waits once the body holds 16 KiB that its reader has not taken, counted in bytes", async () => {
  const { stream } = openStream();
  expect(await stream.write("x".repeat(ROOM - 1))).toBe(true);
  // One character of three bytes.
  const write = stream.write("€");
  expect(await isSettled(write)).toBe(false);
  const reader = stream.body.getReader();
  await reader.read();
  expect(await write).toBe(true);
  expect(new TextDecoder().decode((await reader.read()).value)).toBe("€");
});

test("a text that may be skipped is skipped while a write waits", async () => {
  const { stream } = openStream();
  stream.writeIfIdle("first");
  const write = stream.write("x".repeat(ROOM));
  stream.writeIfIdle("skipped");
  const text = new Response(stream.body).text();
  await write;
  stream.end();
  expect(await text).toBe(`first${"x".repeat(ROOM)}`);
});

test("a reader that takes nothing for `stallMs` while a write waits is disconnected", async () => {
  const { stream, pass } = openStream();
  let closed = 0;
  stream.onClose(() => (closed += 1));
  await stream.write("a");
  pass(STALL_MS);
  expect(closed).toBe(0);
  const write = stream.write("x".repeat(ROOM));
  pass(STALL_MS - 1);
  expect(await isSettled(write)).toBe(false);
  pass(STALL_MS);
  expect(await write).toBe(false);
  expect(closed).toBe(1);
  await expect(new Response(stream.body).text()).rejects.toMatchObject({ code: "READER_STALLED" });
  expect(await stream.write("more")).toBe(false);
});

test("a reader that takes something has `stallMs` again", async () => {
  const { stream, pass, timers } = openStream();
  const write = stream.write("x".repeat(ROOM));
  await stream.body.getReader().read();
  expect(await write).toBe(true);
  expect(timers.size).toBe(0);
  pass(STALL_MS);
  expect(await stream.write("more")).toBe(true);
});

test("a reader that leaves ends a write that waits", async () => {
  const { stream, timers } = openStream();
  let closed = 0;
  stream.onClose(() => (closed += 1));
  const write = stream.write("x".repeat(ROOM));
  await stream.body.cancel();
  expect(await write).toBe(false);
  expect([closed, timers.size]).toEqual([1, 0]);
  stream.writeIfIdle("more");
  stream.end();
});

test("closing the streams waits for their ends, and disconnects a reader that takes too long", async () => {
  const { stream, clock, pass } = openStream();
  const streams = new Streams(clock, 1);
  const signal = streams.open(stream);
  const write = stream.write("x".repeat(ROOM)).finally(() => streams.remove(stream));
  const close = streams.close();
  expect(signal.isAborted).toBe(true);
  pass(CLOSE_MS - 1);
  expect(await isSettled(close)).toBe(false);
  pass(CLOSE_MS);
  expect(await write).toBe(false);
  await close;
  expect(streams.size).toBe(0);
  expect(() => streams.open(stream)).toThrow(expect.objectContaining({ code: "SERVER_CLOSED" }));
});

test.each([
  ["resets the connection, if the server can", true, 0],
  ["makes the server end the connection before its body's end, otherwise", false, 1],
])("a body that is cut %s", async (_, canReset, reports) => {
  const report = vi.spyOn(console, "error").mockImplementation(() => undefined);
  onTestFinished(() => report.mockRestore());
  const streams: ResponseStream[] = [];
  const listener = getRequestListener(
    (_request, { outgoing }) => {
      const connection = canReset ? { reset: () => outgoing.destroy() } : {};
      const stream = new ResponseStream({ connection, clock: systemClock, bounds: { stallMs: STALL_MS } });
      streams.push(stream);
      void stream.write("first\n");
      return new Response(stream.body);
    },
    { overrideGlobalObjects: false },
  );
  const server = createServer(listener).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const reader = (await fetch(url)).body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("first\n");
  streams[0]?.cut(new ServerError("INTERNAL", "The disk is gone."));
  await expect(reader?.read()).rejects.toMatchObject({ message: "terminated" });
  expect(report).toHaveBeenCalledTimes(reports);
});
