import type { JournalRecord } from "../wire/index.ts";
import { senderOf, TASK } from "./sender.ts";
import type { Microstep, TraceEvent } from "./trace-event.ts";

/** What a live trace knows of a record, and its journal does not. */
export interface LiveMarks {
  readonly durable?: false;
  readonly microsteps?: readonly Microstep[];
}

/**
 * Puts the records of one task, in their order, into a trace: each gets its place, its sender, and what brought that
 * sender about.
 *
 * @example
 * ```ts
 * import { Tracer } from "signalbox/trace";
 * const tracer = new Tracer("t1");
 * const begun = tracer.add({ seq: 0, kind: "header", version: 2, taskId: "t1", createdAt: 0 });
 * console.log(begun.seq, begun.from); // 0 task
 * ```
 */
export class Tracer {
  readonly #taskId: string;
  /** Where the edge actors were started, by their ids. A stopped one stays: what it had sent may come after. */
  readonly #started = new Map<string, number>();
  #next: number;

  /** `first`: the place of the first event. Default 0. */
  constructor(taskId: string, first = 0) {
    this.#taskId = taskId;
    this.#next = first;
  }

  add(record: JournalRecord, marks: LiveMarks = {}): TraceEvent {
    const seq = this.#next;
    this.#next += 1;
    const from = fromOf(record);
    const because = this.#started.get(from);
    if (record.kind === "commit")
      for (const { type, id } of record.effects) if (type === "effect.started") this.#started.set(id, seq);
    return {
      seq,
      taskId: this.#taskId,
      record,
      from,
      ...(because !== undefined && { because }),
      ...marks,
    };
  }
}

function fromOf(record: JournalRecord): string {
  switch (record.kind) {
    case "header":
      return TASK;
    case "effect.end":
      return `tool:${record.callId}`;
    case "commit":
      return senderOf(record);
  }
}
