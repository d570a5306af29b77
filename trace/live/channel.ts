import type { JournalRecord } from "../../wire/index.ts";
import { Bell } from "./bell.ts";
import type { LiveEvents } from "./live-events.ts";

/** Where one task's events come from: its journal and, while it is open here, what it shows. */
export class Channel {
  readonly taskId: string;
  /** The journal's records from the first on, read anew each time. */
  readonly records: () => AsyncIterable<JournalRecord>;
  /** Rung when the task is opened or closed, and for each event. */
  readonly bell = new Bell();
  /** How many follow it. */
  followers = 0;
  #live: LiveEvents | undefined;
  #inspectors = 0;

  constructor(taskId: string, records: () => AsyncIterable<JournalRecord>) {
    this.taskId = taskId;
    this.records = records;
  }

  /** The present opening, if it is open. */
  get live(): LiveEvents | undefined {
    return this.#live?.isOver === true ? undefined : this.#live;
  }

  open(live: LiveEvents): void {
    this.#live = live;
    if (this.#inspectors > 0) live.inspect();
    this.bell.ring();
  }

  /** Has microsteps gathered, until the function that it gives is called: by whoever asks last. */
  inspect(): () => void {
    this.#inspectors += 1;
    if (this.#inspectors === 1) this.live?.inspect();
    return () => {
      this.#inspectors -= 1;
      if (this.#inspectors === 0) this.live?.uninspect();
    };
  }
}
