import { Observable, type Subscriber } from "rxjs";
import { systemClock } from "../../../actors/protocol/edge.ts";
import { WakeSignal } from "../../../actors/protocol/wake-signal.ts";
import type { Task } from "../../../runtime/task/task.ts";
import type { JournalRecord } from "../../../wire/journal/record.ts";
import type { TraceEvent } from "../trace-event.ts";
import { Channel } from "./channel.ts";
import { Follower } from "./follower.ts";
import { LiveEvents } from "./live-events.ts";

/** Default limit of commits that wait while the journal is read. */
const DEFAULT_BOUND = 10_000;

/** Options of {@link liveTrace}. */
export interface LiveTraceOptions {
  /** The records of the task's journal from the first on; read again at each call: `() => readJournal(driver, ...)`. */
  readonly records: () => AsyncIterable<JournalRecord>;
  /**
   * Commits that are buffered while the journal is read. Default 10,000. Beyond it the oldest are dropped: their
   * records are read from the journal; growth of streamed text and microsteps are lost.
   */
  readonly bound?: number;
  /** Called with the number of dropped commits, each time that the bound is passed. */
  readonly onDropped?: (count: number) => void;
  /** Add microsteps to the events from now on. Default false: then XState is not inspected. */
  readonly inspect?: boolean;
}

/**
 * The trace of an open task: its journal's records, then each commit as it is delivered, growth included.
 *
 * It completes when the task is closed and errors with what `records` throws. Each subscriber has its own trace,
 * numbered from 0. The result of a tool that was stopped earlier is only in the journal: it is emitted before the next
 * commit.
 */
export function liveTrace(task: Task, options: LiveTraceOptions): Observable<TraceEvent> {
  return new Observable((subscriber) => {
    const { records, bound = DEFAULT_BOUND, onDropped = () => {} } = options;
    const channel = new Channel(task.id, records);
    const now = task.log.at(-1)?.ts ?? systemClock.now();
    const live = new LiveEvents(task, channel, { events: bound, now, onDropped });
    channel.open(live);
    const signal = new WakeSignal();
    const microsteps = options.inspect === true;
    const follower = new Follower(channel, signal, { microsteps, whenBehind: "read" });
    emit(follower, live, subscriber).catch((error: unknown) => subscriber.error(error));
    return () => {
      signal.abort();
      live.stop();
    };
  });
}

async function emit(follower: Follower, live: LiveEvents, subscriber: Subscriber<TraceEvent>): Promise<void> {
  for await (const item of follower.items()) {
    if (item.type === "event") {
      // There is no other reader.
      live.release(item.position);
      subscriber.next(item.event);
    } else if (item.type === "pause" && !item.isOpen) {
      subscriber.complete();
      return;
    }
  }
}
