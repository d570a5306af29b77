import type { JournalRecord } from "../../wire/journal/record.ts";
import { senderOf, TASK } from "./sender.ts";
import type { Microstep, TraceEvent } from "./trace-event.ts";

/** Properties of a record that only a live trace has. */
export interface LiveMarks {
  readonly durable?: false;
  readonly microsteps?: readonly Microstep[];
}

/**
 * A factory of one task's trace events from its records, in order: with number, sender and the sender's start.
 *
 * @example
 * ```ts
 * import { Tracer } from "signalbox/trace";
 * const tracer = new Tracer("t1");
 * const event = tracer.add({ seq: 0, kind: "header", version: 2, taskId: "t1", createdAt: 0 });
 * console.log(event.seq, event.from); // 0 task
 * ```
 */
export class Tracer {
  readonly #taskId: string;
  /** The `seq` of each actor's start, by its id. A stopped actor stays: what it has sent may come later. */
  readonly #started = new Map<string, number>();
  #next: number;

  /** `first`: the `seq` of the first event. Default 0. */
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
    return { seq, taskId: this.#taskId, record, from, ...(because !== undefined && { because }), ...marks };
  }
}

function fromOf(record: JournalRecord): string {
  if (record.kind === "commit") return senderOf(record);
  return record.kind === "effect.end" ? `tool:${record.callId}` : TASK;
}
