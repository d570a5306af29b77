import type { Moment, TraceReader } from "../../trace/moment.ts";
import type { TraceEvent } from "../../trace/trace-event.ts";
import type { TraceIndex } from "./trace-index.ts";

/** A trace and its index as they were at one time: events that follow change neither. The page renders nothing else. */
export class TraceSnapshot implements TraceReader {
  readonly taskId: string;
  readonly length: number;
  readonly index: TraceIndex;
  readonly #trace: TraceReader;

  /** `index`: the index of the events that the trace has now. */
  constructor(trace: TraceReader, index: TraceIndex) {
    this.taskId = trace.taskId;
    this.length = trace.length;
    this.index = index;
    this.#trace = trace;
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
