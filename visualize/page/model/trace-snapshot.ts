import type { Moment, TraceReader } from "../../trace/moment.ts";
import type { TraceEvent } from "../../trace/trace-event.ts";
import type { TraceIndex } from "./trace-index.ts";

/** A trace and its index as they were at one time: events that follow change neither. The page renders nothing else. */
export class TraceSnapshot implements TraceReader {
  readonly taskId: string;
  readonly length: number;
  readonly index: TraceIndex;
  readonly #trace: TraceReader;
  readonly #came: readonly number[];

  /**
   * `index`: the index of the events that the trace has now. `came`: the `seq` that each event came with. Merged events
   * have the `seq` of the last. Absent: none is merged.
   */
  constructor(trace: TraceReader, index: TraceIndex, came: readonly number[] = []) {
    this.taskId = trace.taskId;
    this.length = trace.length;
    this.index = index;
    this.#trace = trace;
    this.#came = came;
  }

  /** The number of events that were merged into this one, with it. 1: none was. */
  mergedIn(seq: number): number {
    return (this.#came[seq] ?? seq) - (this.#came[seq - 1] ?? seq - 1);
  }

  event(seq: number): TraceEvent {
    this.#assertHas(seq);
    return this.#trace.event(seq);
  }

  moment(seq: number): Moment {
    this.#assertHas(seq);
    return this.#trace.moment(seq);
  }

  #assertHas(seq: number): void {
    if (seq >= this.length)
      throw new RangeError(`Expected an event from 0 to ${this.length - 1} of this trace, got ${seq}.`);
  }
}
