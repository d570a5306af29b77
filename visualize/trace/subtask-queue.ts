import type { JournalRecord } from "../../wire/journal/record.ts";

/** The limits of the traces of subtasks that are read with the trace of a task (L14). */
export interface SubtaskLimits {
  /** Traces of subtasks, of any depth. */
  readonly traces: number;
  /** Past events of these traces, after which no further trace is begun. */
  readonly events: number;
}

export const DEFAULT_SUBTASK_LIMITS: SubtaskLimits = { traces: 64, events: 20_000 };

/** The subtasks whose traces are not read, and the limit that was reached. */
export interface OmittedSubtasks {
  readonly count: number;
  readonly limit: keyof SubtaskLimits;
  readonly max: number;
}

/**
 * The subtasks of a task in the order in which their traces are read: a task before its subtasks, each once, also if
 * journals name each other. An event takes constant time.
 */
export class SubtaskQueue {
  readonly #limits: SubtaskLimits;
  readonly #known: Set<string>;
  readonly #waiting: string[] = [];
  #begun = 0;
  #events = 0;

  constructor(taskId: string, limits: SubtaskLimits = DEFAULT_SUBTASK_LIMITS) {
    this.#limits = limits;
    this.#known = new Set([taskId]);
  }

  /** Note the subtasks that a record of the task starts. */
  note(record: JournalRecord): void {
    if (record.kind !== "commit") return;
    for (const call of record.calls) {
      if (call.phase !== "delegated" || this.#known.has(call.childId)) continue;
      this.#known.add(call.childId);
      this.#waiting.push(call.childId);
    }
  }

  /** Note a past event of a subtask, with the subtasks that it starts. */
  notePast(record: JournalRecord): void {
    this.#events += 1;
    this.note(record);
  }

  /** The next subtask whose trace is read. Undefined: none waits, or a limit is reached. */
  next(): string | undefined {
    if (this.#reached() !== undefined) return undefined;
    const next = this.#waiting.shift();
    if (next !== undefined) this.#begun += 1;
    return next;
  }

  /** The subtasks that wait although a limit is reached. Undefined: there are none. */
  get omitted(): OmittedSubtasks | undefined {
    const limit = this.#reached();
    const count = this.#waiting.length;
    return limit === undefined || count === 0 ? undefined : { count, limit, max: this.#limits[limit] };
  }

  #reached(): keyof SubtaskLimits | undefined {
    if (this.#begun >= this.#limits.traces) return "traces";
    return this.#events >= this.#limits.events ? "events" : undefined;
  }
}
