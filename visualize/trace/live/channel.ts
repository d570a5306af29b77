import { Subject } from "rxjs";
import type { JournalRecord } from "../../../wire/journal/record.ts";
import type { LiveEvents } from "./live-events.ts";

/** A journal that is read as it grows: each call gives the records since the one before, or all of them from the header on. */
export interface GrowingRecords {
  read(): AsyncIterable<JournalRecord>;
}

/** The source of one task's events: its journal and, while the task is open here, its commits. */
export class Channel {
  readonly taskId: string;
  /** The journal's records from the first on; read again at each call. */
  readonly records: () => AsyncIterable<JournalRecord>;
  /** Emits when the task is opened or closed, and for each event. */
  readonly changes$ = new Subject<void>();
  followers = 0;
  #live: LiveEvents | undefined;
  #inspectors = 0;

  /** Open the journal for a reader that follows it. */
  readonly growing: () => GrowingRecords;

  constructor(
    taskId: string,
    records: () => AsyncIterable<JournalRecord>,
    growing: () => GrowingRecords = () => ({ read: records }),
  ) {
    this.taskId = taskId;
    this.records = records;
    this.growing = growing;
  }

  /** The events of the current opening, if the task is open. */
  get live(): LiveEvents | undefined {
    return this.#live?.isClosed === true ? undefined : this.#live;
  }

  open(live: LiveEvents): void {
    this.#live = live;
    if (this.#inspectors > 0) live.inspect();
    this.changes$.next();
  }

  /** Collect microsteps until the last caller has called the function that it returned. */
  inspect(): () => void {
    this.#inspectors += 1;
    if (this.#inspectors === 1) this.live?.inspect();
    return () => {
      this.#inspectors -= 1;
      if (this.#inspectors === 0) this.live?.uninspect();
    };
  }
}
