import type { TaskInput, taskMachine } from "../../machines/task/index.ts";
import { createGate, type Gate, MemoryStore, memoryJournal, type TaskActor } from "../../store/index.ts";
import { type Crash, type Played, replay, type Violation } from "../../verify/index.ts";

type Snapshot = Played["snapshot"];

/** A store with a journal, and which rows of the machine's table each of its commits took, by its number. */
export interface WrittenStore {
  readonly store: MemoryStore;
  readonly taken: ReadonlyMap<number, Played["rows"]>;
}

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
  const { store } = await journalStoreOf(...found);
  return { content: await contentOf(store), lastSeq: await lastSeqIn(store) };
}

/** The same in the store that the gate wrote it to, with the rows that were taken. */
export async function journalStoreOf(
  { path }: Violation,
  machine: typeof taskMachine,
  input?: Partial<TaskInput>,
): Promise<WrittenStore> {
  const store = new MemoryStore();
  const taken = new Map<number, Played["rows"]>();
  let process = new Process(store, taken, undefined);
  for (const step of replay(path, machine, input)) {
    if (step.happening.type === "process.crashed") {
      await process.crash(step.happening);
      process = new Process(store, taken, await lastSeqIn(store));
    }
    if ("error" in step) break;
    process.play(step);
  }
  await process.end();
  return { store, taken };
}

/** One process of the task: a gate, and the actor that it believes to hear. */
class Process {
  readonly #gate: Gate<Snapshot>;
  /** Of macrosteps that are to be committed, by what they end with. */
  readonly #rows = new WeakMap<Snapshot, Played["rows"]>();
  #tell: Parameters<TaskActor<Snapshot>["on"]>[1] = () => {};
  #settle: (snapshot: Snapshot) => void = () => {};
  #now = 0;

  constructor(store: MemoryStore, taken: Map<number, Played["rows"]>, lastSeq: number | undefined) {
    this.#gate = createGate<Snapshot>({
      driver: memoryJournal({ store }),
      header: { taskId: "explored", createdAt: 0 },
      // Nothing is waited for: the path has its timers among its events.
      clock: { now: () => this.#now, after: () => () => {} },
      ...(lastSeq !== undefined && { lastSeq }),
    });
    this.#gate.onShown(({ seq, snapshot }) => {
      const rows = this.#rows.get(snapshot);
      // Growth bears the number of the record before it.
      if (rows !== undefined && !taken.has(seq)) taken.set(seq, rows);
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

  play({ event, emitted, snapshot, rows }: Played): void {
    this.#now = event.at;
    if (emitted.length > 0) this.#rows.set(snapshot, rows);
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
