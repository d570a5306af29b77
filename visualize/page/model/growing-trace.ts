import type { TraceEvent } from "../../trace/trace-event.ts";
import { TraceLog } from "../../trace/trace-log.ts";
import { growthIn, mergeGrowth, placeAfter } from "./merge-growth.ts";
import { TraceIndexer } from "./trace-indexer.ts";
import { TraceSnapshot } from "./trace-snapshot.ts";

/** The maximum number of events of growing text that a trace keeps unmerged. No journal has such events. */
export const GROWTH_MAX = 10_000;

/** The trace of a task while it is loaded and followed. Its snapshots are what the page renders. */
export class GrowingTrace {
  readonly taskId: string;
  #log: TraceLog;
  #indexer: TraceIndexer;
  #newest: TraceSnapshot | undefined;
  /** The `seq` that each event came with. Merged events have the `seq` of the last. */
  #came: number[] = [];
  /** The number of unmerged events of growing text. */
  #growth = 0;

  constructor(taskId: string, events: Iterable<TraceEvent> = []) {
    this.taskId = taskId;
    this.#log = new TraceLog(taskId);
    this.#indexer = new TraceIndexer(this.#log);
    this.append(events);
  }

  /** @throws RangeError if an event's `seq` is not the next */
  append(events: Iterable<TraceEvent>): void {
    for (const event of events) {
      this.#log.append(this.#renumbered(event));
      this.#came.push(event.seq);
      if (growthIn(event) !== undefined) this.#growth += 1;
    }
  }

  /**
   * The trace with the events that it has now: the same snapshot until it grows or its laws are checked on more of them.
   * Each call checks at most `maxLaws` more.
   */
  snapshot(maxLaws?: number): TraceSnapshot {
    const isSame = this.#newest?.length === this.#log.length && this.#newest.index.laws.isComplete;
    if (this.#newest === undefined || !isSame)
      this.#newest = new TraceSnapshot(this.#log, this.#indexer.index(maxLaws), this.#came);
    return this.#newest;
  }

  /**
   * Merge consecutive growth of each text to one event, if there is more than {@link GROWTH_MAX}; the newer half stays.
   * Returns the function that gives the present `seq` of a former event; undefined if nothing was merged. Snapshots that
   * were taken before stay as they are.
   */
  merge(): ((former: number) => number) | undefined {
    if (this.#growth <= GROWTH_MAX) return undefined;
    const { events, ends } = mergeGrowth(this.#log, this.#startOfNewest(GROWTH_MAX / 2));
    const came = this.#came;
    this.#came = ends.map((end) => came[end] ?? end);
    this.#log = new TraceLog(this.taskId, events);
    this.#indexer = new TraceIndexer(this.#log);
    this.#indexer.checkLaws(Number.POSITIVE_INFINITY);
    this.#growth = GROWTH_MAX / 2;
    this.#newest = undefined;
    return (former) => placeAfter(ends, former);
  }

  /** The `seq` of the event from which the trace has `growth` events of growing text. */
  #startOfNewest(growth: number): number {
    let left = growth;
    let seq = this.#log.length;
    while (left > 0 && seq > 0) {
      seq -= 1;
      if (growthIn(this.#log.event(seq)) !== undefined) left -= 1;
    }
    return seq;
  }

  /** An event with its numbers among the merged events. */
  #renumbered(event: TraceEvent): TraceEvent {
    const merged = (this.#came.at(-1) ?? -1) + 1 - this.#log.length;
    if (merged === 0) return event;
    const { seq, because } = event;
    return {
      ...event,
      seq: seq - merged,
      ...(because !== undefined && { because: placeAfter(this.#came, because) }),
    };
  }
}
