import type { JournalDriver } from "../../actors/index.ts";
import { Bell } from "./bell.ts";
import type { LiveTrace } from "./live-trace.ts";

/** Where one task's events come from: its journal and, while it is open here, what it shows. */
export class Channel {
  readonly taskId: string;
  readonly journal: Pick<JournalDriver, "path" | "read">;
  /** Rung when the task is opened or closed, and for each event. */
  readonly bell = new Bell();
  /** How many streams follow it. */
  followers = 0;
  #live: LiveTrace | undefined;

  constructor(taskId: string, journal: Pick<JournalDriver, "path" | "read">) {
    this.taskId = taskId;
    this.journal = journal;
  }

  /** The present opening, if it is open. */
  get live(): LiveTrace | undefined {
    return this.#live?.isOver === true ? undefined : this.#live;
  }

  open(live: LiveTrace): void {
    this.#live = live;
    this.bell.ring();
  }
}
