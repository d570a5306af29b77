import { expect, test } from "vitest";
import { WriteBuffer } from "../../../server/stream/write-buffer.ts";

/** A write buffer with a controlled clock, and its writes. */
function openBuffer() {
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
  const stream = {
    async write(text: string) {
      written.push(text);
      return true;
    },
  };
  const buffer = new WriteBuffer(stream, { clock, bounds: { chunkChars: 10, coalesceMs: 16 } });
  const pass = (ms: number): void => {
    now += ms;
    for (const [fire, at] of fires) {
      if (at > now) continue;
      fires.delete(fire);
      fire();
    }
  };
  const write = async (text: string): Promise<void> => {
    await buffer.add(text);
    buffer.pause();
  };
  return { buffer, written, pass, write };
}

test("a single text is written at once, those within 16 ms together, and the rest at the end", async () => {
  const { buffer, written, pass, write } = openBuffer();
  await write("a");
  expect(written).toEqual(["a"]);
  await write("b");
  pass(10);
  await write("c");
  expect(written).toEqual(["a"]);
  pass(6);
  expect(written).toEqual(["a", "bc"]);
  pass(16);
  await write("d");
  expect(written).toEqual(["a", "bc", "d"]);
  await write("e");
  await buffer.end();
  expect(written).toEqual(["a", "bc", "d", "e"]);
  pass(100);
  expect(written).toHaveLength(4);
});

test("L14: no more than a chunk is buffered", async () => {
  const { written, write } = openBuffer();
  await write("a");
  await write("123456789");
  expect(written).toEqual(["a"]);
  await write("0");
  expect(written).toEqual(["a", "1234567890"]);
});
