import type { Log } from "../../machines/message/log.ts";
import type { StateValue } from "../../machines/message/states.ts";
import type { JournalEvent, TaskEmitted, TaskEvent } from "../../machines/task/task.events.ts";

/** The part of a task's snapshot that the gate reads. */
export interface TaskSnapshot {
  readonly value: StateValue;
  readonly context: { readonly cause: TaskEvent | undefined; readonly log: Log };
}

/** The part of a task's root actor that the gate uses; XState's `Actor` of the task machine implements it. */
export interface TaskActor<TSnapshot extends TaskSnapshot> {
  on(type: "*", listener: (event: TaskEmitted) => void): unknown;
  subscribe(observer: {
    readonly next: (snapshot: TSnapshot) => void;
    readonly error: (error: unknown) => void;
    readonly complete: () => void;
  }): unknown;
  send(event: JournalEvent): void;
}
