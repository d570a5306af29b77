import type { Log } from "../../machines/message/index.ts";
import type { JournalEvent, TaskEmitted, TaskEvent } from "../../machines/task/index.ts";

/** A state of a machine as XState gives it: a name, or for each region its own. */
export type StateValue = string | { readonly [region: string]: StateValue | undefined };

/** What the gate needs of a task's snapshot. */
export interface TaskSnapshot {
  readonly value: StateValue;
  readonly context: { readonly cause: TaskEvent | undefined; readonly log: Log };
}

interface Subscription {
  unsubscribe(): void;
}

/** What the gate needs of a task's root actor: XState's own `Actor` of the task machine is one. */
export interface TaskActor<TSnapshot extends TaskSnapshot> {
  on(type: "*", listener: (piece: TaskEmitted) => void): Subscription;
  subscribe(observer: {
    readonly next: (snapshot: TSnapshot) => void;
    readonly error: (error: unknown) => void;
    readonly complete: () => void;
  }): Subscription;
  send(event: JournalEvent): void;
}

/** A state as a dotted path; regions side by side are joined by `+`. */
export function dottedPath(value: StateValue): string {
  if (typeof value === "string") return value;
  let path = "";
  for (const region of Object.keys(value)) {
    const inner = value[region];
    const below = inner === undefined ? "" : dottedPath(inner);
    path += `${path === "" ? "" : "+"}${region}${below === "" ? "" : `.${below}`}`;
  }
  return path;
}
