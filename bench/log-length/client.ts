import { createActor, fromCallback } from "xstate";
import { z } from "zod";
import { systemClock } from "../../actors/index.ts";
import { StateTracker } from "../../machines/message/tracker.ts";
import { taskMachine } from "../../machines/task/task.machine.ts";
import { actorsOfKinds } from "../../machines/task/task.setup.ts";
import { createGate, memoryJournal } from "../../store/index.ts";
import { type Commands, command, stopwatch } from "../harness/index.ts";

const NO_USAGE = { tokensIn: 0, tokensOut: 0, cacheWrites: 0, cacheReads: 0, cost: 0 };
/** Commits between two waits for the gate: fewer than the limit of its queue. */
const DRAIN_EVERY = 200;

/** A task with silent edge actors: its events are sent from here. */
class Bench {
  readonly #gate = createGate({
    driver: memoryJournal(),
    header: { taskId: "bench", createdAt: 0 },
    clock: systemClock,
  });
  readonly #actor = createActor(
    taskMachine.provide({ actors: actorsOfKinds(() => fromCallback(() => {})) }),
    {
      input: { taskId: "bench", limits: { retries: Infinity, requests: Infinity } },
    },
  );
  #at = 1;
  #shown = 0;

  constructor() {
    this.#gate.onCommit(() => {
      this.#shown += 1;
    });
    this.#gate.attach(this.#actor);
    this.#actor.start();
    this.#actor.send({ type: "task.start", at: this.#at, text: "Go.", images: [] });
    this.#actor.send({ type: "task.opened", at: this.#at });
    this.#prepare();
  }

  get shown(): number {
    return this.#shown;
  }

  get messages(): number {
    return this.#actor.getSnapshot().context.log.length;
  }

  get log() {
    return this.#actor.getSnapshot().context.log;
  }

  get request(): number {
    const { request } = this.#actor.getSnapshot().context;
    if (request === undefined) throw new Error("The task has no open request: the bench is broken.");
    return request;
  }

  drain(): Promise<void> {
    return this.#gate.flushed();
  }

  /** A failed attempt that is retried: two messages, and one that is closed. */
  retry(): void {
    const failure = { code: "overloaded_error", message: "Overloaded", retryable: true };
    const requestId = this.request;
    this.#at += 1;
    this.#actor.send({ type: "llm.failed", at: this.#at, requestId, failure, usage: NO_USAGE, jitter: 0 });
    const timerId = `retry:${this.#actor.getSnapshot().context.retryAt}`;
    this.#actor.send({ type: "timer.fired", at: this.#at, timerId });
    this.#prepare();
  }

  /** A block of text: the first delta appends its message. */
  begin(index: number): void {
    this.#at += 1;
    this.#actor.send({ type: "llm.text.delta", at: this.#at, requestId: this.request, index, text: "hello" });
  }

  /** The message grows. */
  grow(index: number): void {
    this.#at += 1;
    this.#actor.send({ type: "llm.text.delta", at: this.#at, requestId: this.request, index, text: "hello" });
  }

  /** The block ends: the message is amended, and no longer partial. */
  end(index: number): void {
    this.#at += 1;
    this.#actor.send({ type: "llm.text.end", at: this.#at, requestId: this.request, index });
  }

  #prepare(): void {
    this.#at += 1;
    this.#actor.send({
      type: "context.ready",
      at: this.#at,
      requestId: this.request,
      environment: "e",
      ends: [],
    });
  }
}

/** Create a log of at least this many messages. */
async function withMessages(messages: number): Promise<Bench> {
  const bench = new Bench();
  for (let attempts = 1; bench.messages < messages; attempts += 1) {
    bench.retry();
    if (attempts % DRAIN_EVERY === 0) await bench.drain();
  }
  await bench.drain();
  return bench;
}

const benches: { readonly bench: Bench; readonly tracker: StateTracker }[] = [];
const Args = z.object({ index: z.number(), times: z.number() });

function at(index: number) {
  const found = benches[index];
  if (found === undefined) throw new Error(`There is no log ${index}.`);
  return found;
}

export const commands: Commands = {
  /** Create a log. Returns its index here. */
  build: command(z.object({ messages: z.number() }), async ({ messages }) => {
    const bench = await withMessages(messages);
    benches.push({ bench, tracker: new StateTracker(bench.log.toArray()) });
    return benches.length - 1;
  }),
  /** Microseconds of CPU for each growth of the last message. */
  grow: command(Args, async ({ index, times }) => {
    const { bench } = at(index);
    bench.retry();
    bench.begin(0);
    await bench.drain();
    const read = stopwatch();
    for (let time = 0; time < times; time += 1) bench.grow(0);
    return (read().cpuMs * 1000) / times;
  }),
  /** Microseconds of CPU for each event that appends or amends a message, with its record and its emission. */
  append: command(Args, async ({ index, times }) => {
    const { bench } = at(index);
    let cpuMs = 0;
    for (let done = 0; done < times; done += BLOCKS) {
      bench.retry();
      await bench.drain();
      const read = stopwatch();
      for (let block = 0; block < BLOCKS; block += 1) {
        bench.begin(block);
        bench.end(block);
      }
      await bench.drain();
      cpuMs += read().cpuMs;
    }
    return (cpuMs * 1000) / (2 * Math.ceil(times / BLOCKS) * BLOCKS);
  }),
  /** Nanoseconds of CPU for each growth of the last message, in a tracker that always knows the state. */
  track: command(Args, async ({ index, times }) => {
    const { tracker } = at(index);
    const ts = (tracker.log.at(-1)?.ts ?? 0) + 1;
    tracker.apply({
      type: "message.appended",
      message: { ts, type: "say", say: "text", text: "", partial: true },
    });
    const read = stopwatch();
    for (let time = 0; time < times; time += 1) tracker.apply({ type: "message.grown", ts, text: "hello" });
    const { cpuMs } = read();
    tracker.apply({ type: "log.truncated", length: tracker.log.length - 1 });
    return (cpuMs * 1_000_000) / times;
  }),
};

/** Blocks of one response: so few that its length does not matter. */
const BLOCKS = 20;
