import { Observable, type Subscriber } from "rxjs";
import { systemClock } from "../../actors/index.ts";
import type { Task } from "../../runtime/index.ts";
import type { JournalRecord } from "../../wire/index.ts";
import type { TraceEvent } from "../trace-event.ts";
import { Channel } from "./channel.ts";
import { Follower } from "./follower.ts";
import { LiveEvents } from "./live-events.ts";
import { Waiter } from "./waiter.ts";

/** Commits that wait while the journal is read: so many at most. */
export const DEFAULT_TRACE_BOUND = 10_000;

export interface LiveTraceOptions {
  /** The records of the task's journal from the first on, read anew each time: `() => readJournal(driver, ...)`. */
  readonly records: () => AsyncIterable<JournalRecord>;
  /**
   * Commits that are kept while the journal is read. Default {@link DEFAULT_TRACE_BOUND}. Of more the oldest are dropped:
   * what the journal has of them is read from there; growth of streamed text and microsteps are lost.
   */
  readonly bound?: number;
  /** Told how many commits were dropped, each time that the bound is passed. */
  readonly onDropped?: (count: number) => void;
  /** Adds the microsteps of what comes from now on. Default false: then nothing observes XState. */
  readonly inspect?: boolean;
}

/**
 * A task's trace while it is open: first what its journal has, then each commit as it is shown, growth too. It ends when
 * the task is closed. Each subscriber has a trace of its own, whose places begin at 0.
 *
 * How an effect ended that was stopped before is only in the journal: it is told before the commit that follows it.
 * It errors with what `records` throws.
 */
export function liveTrace(task: Task, options: LiveTraceOptions): Observable<TraceEvent> {
  return new Observable((subscriber) => {
    const { records, bound = DEFAULT_TRACE_BOUND, onDropped = () => {} } = options;
    const channel = new Channel(task.id, records);
    const now = task.log.at(-1)?.ts ?? systemClock.now();
    const live = new LiveEvents(task, channel, { events: bound, now, onFallen: onDropped });
    channel.open(live);
    const waiter = new Waiter();
    const follower = new Follower(channel, waiter, {
      microsteps: options.inspect === true,
      whenBehind: "read",
    });
    tell(follower, live, subscriber).catch((error: unknown) => subscriber.error(error));
    return () => {
      waiter.leave();
      live.stop();
    };
  });
}

async function tell(follower: Follower, live: LiveEvents, subscriber: Subscriber<TraceEvent>): Promise<void> {
  for await (const told of follower.told()) {
    if (told.type === "event") {
      // Nobody else reads them.
      live.release(told.position);
      subscriber.next(told.event);
    } else if (told.type === "pause" && !told.isOpen) {
      subscriber.complete();
      return;
    }
  }
}
