import { expect, test } from "vitest";
import { type Fold, readInFrames } from "../../../actors/llm/frames.ts";
import { settle, TestClock } from "../protocol/host.ts";

class Collect implements Fold<string, string> {
  #items: string[] = [];
  done = false;
  push(item: string): boolean {
    if (item === "bad") throw new Error("bad item");
    this.#items.push(item);
    this.done ||= item === "last";
    return this.done || item.endsWith("!");
  }
  take(): readonly string[] {
    const items = this.#items.splice(0);
    if (items.includes("broken")) throw new Error("broken frame");
    return items;
  }
}

function start(source: AsyncIterable<string>) {
  const clock = new TestClock();
  const abort = new AbortController();
  const batches: (readonly string[])[] = [];
  let end: unknown = "open";
  const read = async () => {
    try {
      await readInFrames(source, new Collect(), {
        clock,
        signal: abort.signal,
        frameMs: 10,
        idleTimeoutMs: 1_000_000,
        emit: (batch) => void batches.push(batch),
      });
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

test("the last item ends the frames, also while its source does not end", async () => {
  const frames = start(hanging("a", "last"));
  await settle();
  expect([frames.batches.flat(), frames.end(), frames.clock.waiting]).toEqual([["a", "last"], "ended", 0]);
});

/** A source that yields what the test sends. */
function manual() {
  const items: string[] = [];
  let wake = (): void => {};
  const source = async function* () {
    for (;;) {
      for (let item = items.shift(); item !== undefined; item = items.shift()) yield item;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const send = async (...sent: readonly string[]) => {
    items.push(...sent);
    wake();
    await settle();
  };
  return { source: source(), send };
}

/** The timer of the watchdog is always set. */
const WATCH = 1;

test("events within a frame are given together at its end", async () => {
  const { source, send } = manual();
  const frames = start(source);
  await send("a");
  frames.clock.moveTo(1_004);
  await send("b", "c");
  frames.clock.moveTo(1_008);
  await send("d");
  frames.clock.moveTo(1_009);
  await settle();
  expect(frames.batches).toEqual([["a"]]);
  frames.clock.moveTo(1_010);
  await settle();
  expect(frames.batches).toEqual([["a"], ["b", "c", "d"]]);
});

test("an urgent item does not wait for the end of the frame", async () => {
  const { source, send } = manual();
  const frames = start(source);
  await send("a");
  await send("b");
  await send("c!");
  expect(frames.batches).toEqual([["a"], ["b", "c!"]]);
  await send("d");
  expect(frames.batches).toHaveLength(2);
});

test("items that are a frame apart are given at once, and cost no timer", async () => {
  const { source, send } = manual();
  const frames = start(source);
  const waiting: number[] = [];
  for (const [index, item] of ["a", "b", "c"].entries()) {
    frames.clock.moveTo(1_000 + index * 10);
    await send(item);
    waiting.push(frames.clock.waiting);
  }
  expect([frames.batches, waiting]).toEqual([
    [["a"], ["b"], ["c"]],
    [WATCH, WATCH, WATCH],
  ]);
});

test("a clock that is set back holds nothing for longer than a frame", async () => {
  const { source, send } = manual();
  const frames = start(source);
  await send("a");
  frames.clock.moveTo(0);
  await send("b");
  expect(frames.clock.delays.at(-1)).toBe(10);
  frames.clock.moveTo(10);
  await settle();
  expect(frames.batches).toEqual([["a"], ["b"]]);
});

test("a fold that throws at the end of a frame ends the frames with its error", async () => {
  const { source, send } = manual();
  const frames = start(source);
  await send("a");
  await send("broken");
  frames.clock.moveTo(1_010);
  await settle();
  expect(frames.batches).toEqual([["a"]]);
  expect(frames.end()).toMatchObject({ message: "broken frame" });
  expect(frames.clock.waiting).toBe(0);
});

test("an abort ends the frames while nothing comes", async () => {
  const frames = start(hanging("a"));
  await settle();
  frames.abort.abort();
  await settle();
  expect([frames.batches.flat(), frames.end(), frames.clock.waiting]).toEqual([["a"], "ended", 0]);
});
