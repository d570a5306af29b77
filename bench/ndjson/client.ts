import { Writable } from "node:stream";
import { Subject } from "rxjs";
import { z } from "zod";
import { JsonEventEmitter } from "../../client/index.ts";
import type { TaskChange } from "../../client/roo/ndjson/event-sources.ts";
import { emptyLog, type LogEvent } from "../../machines/message/log.ts";
import { jsonEventSchema } from "../../wire/index.ts";
import { type Commands, command, stopwatch } from "../harness/index.ts";

const NOTHING = { tokensIn: 0, tokensOut: 0, cacheWrites: 0, cacheReads: 0, cost: 0 };

/** An emitter on a fake task whose log events are passed to `show`. */
function fakeTask(stdout: Writable): {
  emitter: JsonEventEmitter;
  show: (...log: readonly LogEvent[]) => void;
} {
  const events$ = new Subject<TaskChange>();
  const emitter = new JsonEventEmitter({ mode: "stream-json", stdout, requestIdProvider: () => "request-1" });
  emitter.attachToTask({
    events$,
    log: emptyLog,
    snapshot: { context: { queue: [], total: NOTHING } },
  });
  return { emitter, show: (...log) => events$.next({ commit: { log } }) };
}

/** A stream that accepts everything immediately. */
const fast = (): Writable =>
  new Writable({
    highWaterMark: 1 << 30,
    write: (_chunk, _encoding, done) => done(),
    writev: (_chunks, done) => done(),
  });

/** A stream that accepts one line at each call of `take`. */
class Slow extends Writable {
  readonly lines: string[] = [];
  #next: (() => void) | undefined;
  constructor() {
    super({ highWaterMark: 1, decodeStrings: false });
  }
  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    this.lines.push(String(chunk));
    this.#next = done;
  }
  take(): boolean {
    const next = this.#next;
    this.#next = undefined;
    next?.();
    return next !== undefined;
  }
}

const PIECE = "A few words. ";
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const collect = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};

const Events = z.object({ events: z.number() });
const Chars = z.object({ chars: z.number() });
/** The rate of a model. */
const DELTAS_PER_SECOND = 100;
/** Seconds between two lines that the slow reader takes. */
const READ_EVERY = 10;

export const commands: Commands = {
  messages: command(Events, async ({ events }) => {
    const { show } = fakeTask(fast());
    const read = stopwatch();
    for (let ts = 1; ts <= events; ts += 1)
      show({ type: "message.appended", message: { ts, type: "say", say: "reasoning", text: PIECE } });
    return read();
  }),
  deltas: command(Events, async ({ events }) => {
    const { show } = fakeTask(fast());
    show({
      type: "message.appended",
      message: { ts: 1, type: "say", say: "reasoning", text: "", partial: true },
    });
    const read = stopwatch();
    for (let delta = 0; delta < events; delta += 1) show({ type: "message.grown", ts: 1, text: PIECE });
    return read();
  }),
  /** The preview of a tool call that alternates between two texts. */
  delta: command(Chars, async ({ chars }) => {
    const { show } = fakeTask(fast());
    const preview = (text: string): string => JSON.stringify({ tool: "newFileCreated", content: text });
    const [less, more] = [preview("x".repeat(chars)), preview("x".repeat(chars + 7))];
    show({
      type: "message.appended",
      message: { ts: 1, type: "ask", ask: "tool", text: less, partial: true },
    });
    const read = stopwatch();
    for (let time = 0; time < 200; time += 1)
      show({ type: "message.amended", ts: 1, patch: { text: time % 2 === 0 ? more : less } });
    return read();
  }),
  /** A message that is streamed in deltas and completed. */
  stream: command(Chars, async ({ chars }) => {
    const { show } = fakeTask(fast());
    show({
      type: "message.appended",
      message: { ts: 1, type: "say", say: "reasoning", text: "", partial: true },
    });
    const read = stopwatch();
    for (let length = 0; length < chars; length += PIECE.length)
      show({ type: "message.grown", ts: 1, text: PIECE });
    show({ type: "message.amended", ts: 1, patch: { partial: false } });
    return read();
  }),
  /** Minutes of streaming, replayed at full speed, to a reader that accepts a line every few seconds. */
  "slow-reader": command(z.object({ minutes: z.number() }), async ({ minutes }) => {
    const stdout = new Slow();
    const { emitter, show } = fakeTask(stdout);
    show({
      type: "message.appended",
      message: { ts: 1, type: "say", say: "reasoning", text: "", partial: true },
    });
    const before = collect();
    const deltas = Math.round(minutes * 60 * DELTAS_PER_SECOND);
    let waiting = 0;
    for (let delta = 0; delta < deltas; delta += 1) {
      show({ type: "message.grown", ts: 1, text: PIECE });
      waiting = Math.max(waiting, emitter.waitingLines);
      if (delta % (DELTAS_PER_SECOND * READ_EVERY) !== 0) continue;
      stdout.take();
      await turn();
    }
    const textChars = deltas * PIECE.length;
    const heldBytes = Math.max(0, collect() - before - textChars);
    show({ type: "message.amended", ts: 1, patch: { partial: false } });
    const flushed = emitter.flushed();
    while (stdout.take() || emitter.waitingLines > 0) await turn();
    await flushed;
    const receivedChars = stdout.lines
      .map((line) => jsonEventSchema.parse(JSON.parse(line)))
      .filter(({ id, done }) => id === 1 && done === undefined)
      .reduce((length, { content }) => length + (content?.length ?? 0), 0);
    return { heldBytes, textChars, waiting, lost: textChars - receivedChars };
  }),
};
