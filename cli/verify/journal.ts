import { createGate, type Gate, MemoryStore, memoryJournal, type TaskActor } from "../../actors/index.ts";
import type { TaskInput, taskMachine } from "../../machines/task/index.ts";
import { type Crash, type Played, replay, type Violation } from "../../verify/index.ts";

type Snapshot = Played["snapshot"];

/** A journal's bytes, and the number of its last record. */
export interface WrittenJournal {
  readonly content: Buffer;
  readonly lastSeq: number | undefined;
}

/**
 * A violation as the journal that its task would have written, by the gate that writes every journal. It ends before
 * a macrostep that threw. Streamed text that a crash kept isn't in it: a journal leaves growth out.
 */
export async function journalOf(...found: Parameters<typeof journalStoreOf>): Promise<WrittenJournal> {
  const store = await journalStoreOf(...found);
  return { content: await contentOf(store), lastSeq: await lastSeqIn(store) };
}

/** The same in the store that the gate wrote it to. */
export async function journalStoreOf(
  { path }: Violation,
  machine: typeof taskMachine,
  input?: Partial<TaskInput>,
): Promise<MemoryStore> {
  const store = new MemoryStore();
  let process = new Process(store, undefined);
  for (const step of replay(path, machine, input)) {
    if (step.happening.type === "process.crashed") {
      await process.crash(step.happening);
      process = new Process(store, await lastSeqIn(store));
    }
    if ("error" in step) break;
    process.play(step);
  }
  await process.end();
  return store;
}

/** One process of the task: a gate, and the actor that it believes to hear. */
class Process {
  readonly #gate: Gate<Snapshot>;
  #tell: Parameters<TaskActor<Snapshot>["on"]>[1] = () => {};
  #settle: (snapshot: Snapshot) => void = () => {};
  #now = 0;

  constructor(store: MemoryStore, lastSeq: number | undefined) {
    this.#gate = createGate<Snapshot>({
      driver: memoryJournal({ store }),
      header: { taskId: "explored", createdAt: 0 },
      // Nothing is waited for: the path has its timers among its events.
      clock: { now: () => this.#now, after: () => () => {} },
      ...(lastSeq !== undefined && { lastSeq }),
    });
    const subscription = { unsubscribe: () => {} };
    this.#gate.attach({
      on: (_, listener) => {
        this.#tell = listener;
        return subscription;
      },
      subscribe: ({ next }) => {
        this.#settle = next;
        return subscription;
      },
      send: () => {},
    });
  }

  play({ event, emitted, snapshot }: Played): void {
    this.#now = event.at;
    for (const piece of emitted) this.#tell(piece);
    this.#settle(snapshot);
  }

  /** The process ends; effects that had been stopped may still have recorded how they ended. */
  async crash({ at, ends }: Crash): Promise<void> {
    this.#now = at;
    for (const end of ends) await this.#gate.record(end);
    await this.end();
  }

  end(): Promise<void> {
    return this.#gate.close();
  }
}

async function contentOf(store: MemoryStore): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of store.pieces()) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function lastSeqIn(store: MemoryStore): Promise<number | undefined> {
  const lines = (await contentOf(store)).toString().split("\n").length - 1;
  return lines === 0 ? undefined : lines - 1;
}
