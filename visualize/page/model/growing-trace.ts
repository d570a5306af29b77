import type { TraceEvent } from "../../trace/trace-event.ts";
import { TraceLog } from "../../trace/trace-log.ts";
import { TraceIndexer } from "./trace-indexer.ts";
import { TraceSnapshot } from "./trace-snapshot.ts";

/** The trace of a task while it is loaded and followed. Its snapshots are what the page renders. */
export class GrowingTrace {
  readonly #log: TraceLog;
  readonly #indexer: TraceIndexer;

  constructor(taskId: string, events: Iterable<TraceEvent> = []) {
    this.#log = new TraceLog(taskId, events);
    this.#indexer = new TraceIndexer(this.#log);
  }

  /** @throws RangeError if an event's `seq` is not the next */
  append(events: Iterable<TraceEvent>): void {
    for (const event of events) this.#log.append(event);
  }

  /** The trace with the events that it has now. */
  snapshot(): TraceSnapshot {
    return new TraceSnapshot(this.#log, this.#indexer.index());
  }
}
