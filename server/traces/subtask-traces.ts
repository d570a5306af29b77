import { WakeSignal } from "../../actors/protocol/wake-signal.ts";
import {
  type OmittedSubtasks,
  type SubtaskLimits,
  SubtaskQueue,
} from "../../visualize/trace/subtask-queue.ts";
import type { JournalRecord } from "../../wire/journal/record.ts";
import type { TraceItem } from "./trace-item.ts";

/** An item of a task's trace, or of the trace of one of its subtasks. */
export type TreeItem =
  | TraceItem
  /** An event of a subtask as JSON. */
  | { readonly type: "subtask"; readonly json: string }
  /** The trace of a subtask can't be read, or can't continue. */
  | { readonly type: "subtask failed"; readonly taskId: string; readonly error: unknown }
  | { readonly type: "subtasks omitted"; readonly omitted: OmittedSubtasks };

export interface SubtaskTracesOptions {
  readonly taskId: string;
  readonly limits: SubtaskLimits;
  /** Follow the trace of the task. */
  readonly own: (signal: WakeSignal) => AsyncGenerator<TraceItem, void>;
  /** Follow the trace of a subtask from its beginning. */
  readonly ofSubtask: (taskId: string, signal: WakeSignal) => AsyncGenerator<TraceItem, void>;
  /** The records of the task before the position from which its trace is followed. */
  readonly earlier: () => AsyncIterable<JournalRecord>;
}

/** A trace that is followed, with at most one item that was not passed on. */
interface Reader {
  /** Undefined: it is the trace of the task itself. */
  readonly subtask: string | undefined;
  readonly signal: WakeSignal;
  readonly items: AsyncGenerator<TraceItem, void>;
}

interface Arrived {
  readonly reader: Reader;
  readonly result: IteratorResult<TraceItem, void> | { readonly error: unknown };
}

/**
 * Follows the traces of a task and of its subtasks, of any depth. The past of the task comes first, then the past of one
 * subtask after the other, while all that were read are followed.
 */
export class SubtaskTraces {
  readonly #options: SubtaskTracesOptions;
  readonly #queue: SubtaskQueue;
  readonly #signal: WakeSignal;
  readonly #readers = new Set<Reader>();
  readonly #arrived: Arrived[] = [];
  /** The trace whose past events are read. */
  #reading: Reader | undefined;
  /** The number of omitted subtasks that was passed on. */
  #omitted = 0;

  constructor(signal: WakeSignal, options: SubtaskTracesOptions) {
    this.#signal = signal;
    this.#options = options;
    this.#queue = new SubtaskQueue(options.taskId, options.limits);
  }

  /** @throws what the trace of the task throws */
  async *items(): AsyncGenerator<TreeItem, void> {
    this.#begin(undefined, this.#options.own);
    try {
      while (!this.#signal.isAborted) {
        const arrived = this.#arrived.shift();
        if (arrived === undefined) await this.#signal.wait();
        else if (arrived.reader.subtask === undefined) {
          if (yield* this.#passOwn(arrived)) return;
        } else yield* this.#passOfSubtask(arrived, arrived.reader.subtask);
      }
    } finally {
      for (const { signal } of this.#readers) signal.abort();
      await Promise.all([...this.#readers].map(({ items }) => items.return()));
    }
  }

  #begin(subtask: string | undefined, follow: SubtaskTracesOptions["own"]): void {
    const signal = new WakeSignal();
    const reader = { subtask, signal, items: follow(signal) };
    this.#readers.add(reader);
    this.#reading = reader;
    this.#readOn(reader);
  }

  /** Ask for the next item, now that the one before was taken. */
  #readOn(reader: Reader): void {
    const arrive = (result: Arrived["result"]): void => {
      this.#arrived.push({ reader, result });
      this.#signal.wake();
    };
    reader.items.next().then(arrive, (error: unknown) => arrive({ error }));
  }

  /** Returns whether the trace of the task has ended. */
  async *#passOwn({ reader, result }: Arrived): AsyncGenerator<TreeItem, boolean> {
    if ("error" in result) throw result.error;
    if (result.done === true) return true;
    const item = result.value;
    if (item.type === "event") this.#queue.note(item.record);
    yield item;
    if (item.type === "live") {
      await this.#noteEarlier();
      this.#reading = undefined;
    }
    yield* this.#beginNext();
    this.#readOn(reader);
    return false;
  }

  /** Note the subtasks of earlier records, until the client leaves. */
  async #noteEarlier(): Promise<void> {
    for await (const record of this.#options.earlier()) {
      if (this.#signal.isAborted) return;
      this.#queue.note(record);
    }
  }

  async *#passOfSubtask({ reader, result }: Arrived, taskId: string): AsyncGenerator<TreeItem, void> {
    if ("error" in result || result.done === true) {
      this.#readers.delete(reader);
      if ("error" in result) {
        yield { type: "subtask failed", taskId, error: result.error };
        // No other trace may have anything for now.
        yield { type: "pause" };
      }
      return yield* this.#endPast(reader);
    }
    const item = result.value;
    if (item.type === "event") {
      if (reader === this.#reading) this.#queue.notePast(item.record);
      else this.#queue.note(item.record);
      yield { type: "subtask", json: item.json };
      yield* this.#beginNext();
    } else if (item.type === "live") yield* this.#endPast(reader);
    else yield item;
    this.#readOn(reader);
  }

  /** All past events of a trace were passed on: the next trace is read. */
  async *#endPast(reader: Reader): AsyncGenerator<TreeItem, void> {
    if (this.#reading === reader) this.#reading = undefined;
    yield* this.#beginNext();
  }

  async *#beginNext(): AsyncGenerator<TreeItem, void> {
    if (this.#reading !== undefined) return;
    const taskId = this.#queue.next();
    if (taskId !== undefined) return this.#begin(taskId, (signal) => this.#options.ofSubtask(taskId, signal));
    const { omitted } = this.#queue;
    if (omitted === undefined || omitted.count === this.#omitted) return;
    this.#omitted = omitted.count;
    yield { type: "subtasks omitted", omitted };
    yield { type: "pause" };
  }
}
