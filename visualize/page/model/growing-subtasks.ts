import type { OmittedSubtasks } from "../../trace/subtask-queue.ts";
import type { TraceEvent } from "../../trace/trace-event.ts";
import { errorText } from "./format.ts";
import { GrowingTrace } from "./growing-trace.ts";
import type { TraceSnapshot } from "./trace-snapshot.ts";

/** The traces of a task's subtasks, of any depth, as far as they are loaded. */
export interface LoadedSubtasks {
  readonly traces: ReadonlyMap<string, TraceSnapshot>;
  /** The reason why the trace of a subtask is not whole, by the task's id. */
  readonly failures: ReadonlyMap<string, string>;
  /** Undefined: no limit is reached. */
  readonly omitted: OmittedSubtasks | undefined;
}

export const NO_SUBTASKS: LoadedSubtasks = { traces: new Map(), failures: new Map(), omitted: undefined };

/** The trace of a subtask, with its growing texts merged. */
function mergedSnapshot(growing: GrowingTrace): TraceSnapshot {
  growing.merge();
  return growing.snapshot();
}

/** The traces of subtasks while they are loaded and followed. A damaged one ends where it is damaged. */
export class GrowingSubtasks {
  readonly #growing = new Map<string, GrowingTrace>();
  readonly #changed = new Set<string>();
  #loaded = NO_SUBTASKS;

  append(batch: readonly TraceEvent[]): void {
    for (const event of batch) this.#append(event);
  }

  /** End the trace of a subtask. Events that follow are ignored until it begins anew. */
  fail(taskId: string, reason: string): void {
    this.#loaded = { ...this.#loaded, failures: new Map([...this.#loaded.failures, [taskId, reason]]) };
  }

  omit(omitted: OmittedSubtasks): void {
    this.#loaded = { ...this.#loaded, omitted };
  }

  /** The traces with the events that they have now. Only those with new events are copied. */
  snapshot(): LoadedSubtasks {
    if (this.#changed.size === 0) return this.#loaded;
    const traces = new Map(this.#loaded.traces);
    for (const taskId of this.#changed) {
      const snapshot = this.#attempt(taskId, mergedSnapshot);
      if (snapshot !== undefined) traces.set(taskId, snapshot);
    }
    this.#changed.clear();
    this.#loaded = { ...this.#loaded, traces };
    return this.#loaded;
  }

  #append(event: TraceEvent): void {
    const { taskId, seq } = event;
    if (seq === 0) this.#begin(taskId);
    if (this.#loaded.failures.has(taskId)) return;
    this.#attempt(taskId, (growing) => {
      growing.append([event]);
      this.#changed.add(taskId);
    });
  }

  #begin(taskId: string): void {
    this.#growing.set(taskId, new GrowingTrace(taskId));
    if (!this.#loaded.failures.has(taskId)) return;
    const failures = [...this.#loaded.failures].filter(([failed]) => failed !== taskId);
    this.#loaded = { ...this.#loaded, failures: new Map(failures) };
  }

  /** Work on a trace whose journal may be damaged: that ends it, and no other trace. */
  #attempt<T>(taskId: string, work: (growing: GrowingTrace) => T): T | undefined {
    const growing = this.#growing.get(taskId);
    if (growing === undefined) return undefined;
    try {
      return work(growing);
    } catch (error) {
      this.fail(taskId, errorText(error));
      return undefined;
    }
  }
}
