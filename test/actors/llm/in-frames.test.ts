import { expect, test } from "vitest";
import { type Fold, inFrames } from "../../../actors/llm/index.ts";
import { settle, TestClock } from "../protocol/host.ts";

class Collect implements Fold<string, string> {
  #items: string[] = [];
  done = false;
  push(item: string): void {
    if (item === "bad") throw new Error("bad item");
    this.#items.push(item);
    this.done ||= item === "last";
  }
  take(): readonly string[] {
    return this.#items.splice(0);
  }
}

function start(source: AsyncIterable<string>, options: { readonly lingerMs?: number } = {}) {
  const clock = new TestClock();
  const abort = new AbortController();
  const frames = inFrames(source, new Collect(), {
    clock,
    signal: abort.signal,
    frameMs: 10,
    idleTimeoutMs: 1_000_000,
    ...options,
  });
  const batches: (readonly string[])[] = [];
  let end: unknown = "open";
  const read = async () => {
    try {
      for await (const batch of frames) batches.push(batch);
      end = "ended";
    } catch (error) {
      end = error;
    }
  };
  void read();
  return { clock, abort, batches, end: () => end };
}

/** Gives its items at once, then does not end. */
async function* hanging(...items: readonly string[]): AsyncGenerator<string> {
  yield* items;
  await new Promise(() => {});
}

test("a source that throws gives first what came before", async () => {
  const error = new Error("cut");
  const source = async function* () {
    yield* ["a", "b", "c"];
    throw error;
  };
  const frames = start(source());
  await settle();
  expect([frames.batches.flat(), frames.end()]).toEqual([["a", "b", "c"], error]);
});

test("a fold that throws gives first what came before, and ends its source", async () => {
  let returned = false;
  const source = async function* () {
    try {
      yield* ["a", "bad", "c"];
    } finally {
      returned = true;
    }
  };
  const frames = start(source());
  await settle();
  expect([frames.batches.flat(), returned]).toEqual([["a"], true]);
  expect(frames.end()).toMatchObject({ message: "bad item" });
});

test("a source may linger behind its last item, so long and no longer", async () => {
  const frames = start(hanging("a", "last"), { lingerMs: 100 });
  await settle();
  frames.clock.moveTo(1_099);
  await settle();
  expect([frames.batches.flat(), frames.end()]).toEqual([["a"], "open"]);
  frames.clock.moveTo(1_100);
  await settle();
  expect([frames.batches.flat(), frames.end(), frames.clock.waiting]).toEqual([["a", "last"], "ended", 0]);
});

test("an abort ends the frames while nothing comes", async () => {
  const frames = start(hanging("a"));
  await settle();
  frames.abort.abort();
  await settle();
  expect([frames.batches.flat(), frames.end(), frames.clock.waiting]).toEqual([["a"], "ended", 0]);
});
