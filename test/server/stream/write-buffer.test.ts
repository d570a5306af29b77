import { expect, test } from "vitest";
import { WriteBuffer } from "../../../server/stream/write-buffer.ts";

/** A gatherer whose time is set here, and what it has handed on. */
function gathering() {
  const written: string[] = [];
  const fires = new Map<() => void, number>();
  let now = 1_000;
  const clock = {
    now: () => now,
    after(delayMs: number, fire: () => void) {
      fires.set(fire, now + delayMs);
      return () => fires.delete(fire);
    },
  };
  const outlet = {
    async write(text: string) {
      written.push(text);
      return true;
    },
  };
  const gatherer = new WriteBuffer(outlet, { clock, bounds: { chunkChars: 10, coalesceMs: 16 } });
  const pass = (ms: number): void => {
    now += ms;
    for (const [fire, at] of fires) {
      if (at > now) continue;
      fires.delete(fire);
      fire();
    }
  };
  const say = async (text: string): Promise<void> => {
    await gatherer.add(text);
    gatherer.pause();
  };
  return { gatherer, written, pass, say };
}

test("what comes alone is handed on at once, what comes within 16 ms of it together, and the rest at the end", async () => {
  const { gatherer, written, pass, say } = gathering();
  await say("a");
  expect(written).toEqual(["a"]);
  await say("b");
  pass(10);
  await say("c");
  expect(written).toEqual(["a"]);
  pass(6);
  expect(written).toEqual(["a", "bc"]);
  pass(16);
  await say("d");
  expect(written).toEqual(["a", "bc", "d"]);
  await say("e");
  await gatherer.end();
  expect(written).toEqual(["a", "bc", "d", "e"]);
  pass(100);
  expect(written).toHaveLength(4);
});

test("L14: no more is gathered than a chunk", async () => {
  const { written, say } = gathering();
  await say("a");
  await say("123456789");
  expect(written).toEqual(["a"]);
  await say("0");
  expect(written).toEqual(["a", "1234567890"]);
});
