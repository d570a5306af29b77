import { Subject } from "rxjs";
import type { JournalRecord } from "../../../wire/journal/record.ts";
import type { LiveEvents } from "./live-events.ts";

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

  constructor(taskId: string, records: () => AsyncIterable<JournalRecord>) {
    this.taskId = taskId;
    this.records = records;
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
