import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { pump } from "../../../../testing/mock/server/stream-writer.ts";

/** A client that takes each write only when it is told to. */
function slowClient() {
  const taken: string[] = [];
  let take: () => void = () => {};
  const writable = new Writable({
    highWaterMark: 1,
    decodeStrings: false,
    write(chunk, _encoding, done) {
      taken.push(String(chunk));
      take = done;
    },
  });
  return { writable, taken, take: () => take() };
}

const step = (data: string) => ({ do: "send", data, isDelta: true, wait: 0 }) as const;
const turnOfLoop = () => new Promise((resolve) => setImmediate(resolve));

test("writes only what the client reads", async () => {
  const client = slowClient();
  let made = 0;
  const steps = function* () {
    for (; made < 10; made += 1) yield step("x".repeat(64 * 1024));
  };
  const played = pump(client.writable, steps());
  for (let n = 1; n <= 10; n += 1) {
    await turnOfLoop();
    expect(client.taken).toHaveLength(n);
    expect(made).toBeLessThanOrEqual(n);
    client.take();
  }
  expect(await played).toBe(true);
});

test("writes all due steps at once", async () => {
  const client = slowClient();
  const played = pump(client.writable, ["a", "b", "c"].map(step));
  await turnOfLoop();
  expect(client.taken).toEqual(["abc"]);
  client.take();
  expect(await played).toBe(true);
});

test("stops when the client disconnects, also during a delay", async () => {
  const client = slowClient();
  const played = pump(client.writable, [step("x".repeat(64 * 1024)), step("y")]);
  client.writable.destroy();
  expect(await played).toBe(false);
  const silent = slowClient();
  const waiting = pump(silent.writable, [{ do: "silence", ms: 86_400_000 }]);
  silent.writable.destroy();
  expect(await waiting).toBe(false);
});
