import type { TaskInput } from "../../machines/task/task.context.ts";
import type { taskMachine } from "../../machines/task/task.machine.ts";
import { createGate, type Gate } from "../../store/gate/gate.ts";
import type { TaskActor } from "../../store/gate/task-actor.ts";
import { MemoryStore, memoryJournal } from "../../store/journal/memory.ts";
import type { Crash } from "../../verify/crash.ts";
import type { Violation } from "../../verify/exploration.ts";
import { type ReplayedStep, replay } from "../../verify/replay.ts";

type Snapshot = ReplayedStep["snapshot"];

/** A store with a journal, and the transitions that each of its commits took, by its number. */
export interface WrittenStore {
  readonly store: MemoryStore;
  readonly taken: ReadonlyMap<number, ReplayedStep["transitions"]>;
  /** The number of the record that the last step of the path appended. Absent: it changed nothing, or threw. */
  readonly lastStep?: number;
}

/** A journal's bytes, and the number of its last record. */
export interface WrittenJournal {
  readonly content: Buffer;
  readonly lastSeq: number | undefined;
}

/**
 * Create the journal that the task of a violation would have written, through the gate that writes every journal. It ends
 * before a macrostep that threw. Journals don't contain streamed text.
 */
export async function createViolationJournal(
  ...found: Parameters<typeof createViolationStore>
): Promise<WrittenJournal> {
  const { store } = await createViolationStore(...found);
  return { content: await contentOf(store), lastSeq: await lastSeqIn(store) };
}

/** The same in the store that the gate wrote to, with the transitions that were taken. */
export async function createViolationStore(
  { path }: Violation,
  machine: typeof taskMachine,
  input?: Partial<TaskInput>,
): Promise<WrittenStore> {
  const store = new MemoryStore();
  const taken = new Map<number, ReplayedStep["transitions"]>();
  let process = new Process(store, taken, undefined);
  const steps = replay(path, machine, input);
  for (const step of steps) {
    if (step.pathEvent.type === "process.crashed") {
      await process.crash(step.pathEvent);
      process = new Process(store, taken, await lastSeqIn(store));
    }
    if ("error" in step) break;
    process.play(step);
  }
  await process.end();
  const last = steps.at(-1);
  const [lastStep] = [...taken].flatMap(([seq, transitions]) =>
    last !== undefined && "transitions" in last && last.transitions === transitions ? [seq] : [],
  );
  return { store, taken, ...(lastStep !== undefined && { lastStep }) };
}

/** One process of the task: a gate, and a fake actor that it is attached to. */
class Process {
  readonly #gate: Gate<Snapshot>;
  /** Transitions of the macrosteps to be committed, by their last snapshot. */
  readonly #transitions = new WeakMap<Snapshot, ReplayedStep["transitions"]>();
  #emit: Parameters<TaskActor<Snapshot>["on"]>[1] = () => {};
  #settle: (snapshot: Snapshot) => void = () => {};
  #now = 0;

  constructor(
    store: MemoryStore,
    taken: Map<number, ReplayedStep["transitions"]>,
    lastSeq: number | undefined,
  ) {
    this.#gate = createGate<Snapshot>({
      driver: memoryJournal({ store }),
      header: { taskId: "explored", createdAt: 0 },
      // No timers: the path contains their events.
      clock: { now: () => this.#now, after: () => () => {} },
      ...(lastSeq !== undefined && { lastSeq }),
    });
    this.#gate.onCommit(({ seq, snapshot }) => {
      const transitions = this.#transitions.get(snapshot);
      // Growth bears the number of the record before it.
      if (transitions !== undefined && !taken.has(seq)) taken.set(seq, transitions);
    });
    const subscription = { unsubscribe: () => {} };
    this.#gate.attach({
      on: (_, listener) => {
        this.#emit = listener;
        return subscription;
      },
      subscribe: ({ next }) => {
        this.#settle = next;
        return subscription;
      },
      send: () => {},
    });
  }

  play({ event, emitted, snapshot, transitions }: ReplayedStep): void {
    this.#now = event.at;
    if (emitted.length > 0) this.#transitions.set(snapshot, transitions);
    for (const event of emitted) this.#emit(event);
    this.#settle(snapshot);
  }

  /** Crash the process; stopped effects may still record their ends. */
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
  for await (const piece of store.chunks()) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function lastSeqIn(store: MemoryStore): Promise<number | undefined> {
  const lines = (await contentOf(store)).toString().split("\n").length - 1;
  return lines === 0 ? undefined : lines - 1;
}
