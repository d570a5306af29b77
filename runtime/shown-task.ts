import { filter, map, mergeMap, Observable, share, startWith } from "rxjs";
import type { SnapshotFrom } from "xstate";
import {
  type AgentStateInfo,
  type ClineMessage,
  type Log,
  type LogEvent,
  positionOf,
  StateTracker,
} from "../machines/message/index.ts";
import type { taskMachine } from "../machines/task/index.ts";
import type { Gate, ShownCommit } from "../store/index.ts";

export type TaskSnapshot = SnapshotFrom<typeof taskMachine>;
export type TaskCommit = ShownCommit<TaskSnapshot>;

/**
 * What clients may see of a task: the commits that are durable, and what they add up to. The tracker is made
 * when somebody first asks for the state, and then folds each commit (L2, L17).
 */
export class ShownTask {
  readonly events$: Observable<TaskCommit>;
  #snapshot: TaskSnapshot;
  #tracker: StateTracker | undefined;

  constructor(gate: Gate<TaskSnapshot>, initial: TaskSnapshot) {
    this.#snapshot = initial;
    gate.onShown(({ commit, snapshot }) => {
      this.#snapshot = snapshot;
      if (this.#tracker !== undefined) for (const event of commit.log) this.#tracker.apply(event);
    });
    this.events$ = gate.commits$;
  }

  get snapshot(): TaskSnapshot {
    return this.#snapshot;
  }

  get log(): Log {
    return this.#snapshot.context.log;
  }

  get state(): AgentStateInfo {
    this.#tracker ??= trackerOf(this.log);
    return this.#tracker.info;
  }

  /** The state after each commit that changed the log; the present one first. */
  get state$(): Observable<AgentStateInfo> {
    return new Observable((subscriber) =>
      this.events$
        .pipe(
          filter(({ commit }) => commit.log.length > 0),
          map(() => this.state),
          startWith(this.state),
        )
        .subscribe(subscriber),
    );
  }

  /** Each row as it is appended, and again as it is after each change. */
  get messages$(): Observable<ClineMessage> {
    return this.events$.pipe(
      mergeMap(({ commit, snapshot }) => changedRows(snapshot.context.log, commit.log)),
      share(),
    );
  }
}

function trackerOf(log: Log): StateTracker {
  const tracker = new StateTracker();
  tracker.apply({ type: "log.replaced", messages: log.toArray() });
  return tracker;
}

function changedRows(log: Log, events: readonly LogEvent[]): ClineMessage[] {
  const changed = new Set(
    events.flatMap((event) => {
      if (event.type === "message.appended") return [event.message.ts];
      return event.type === "message.grown" || event.type === "message.amended" ? [event.ts] : [];
    }),
  );
  return [...changed].flatMap((ts) => log.at(positionOf(log, ts)) ?? []);
}
