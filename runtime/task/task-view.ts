import { filter, map, mergeMap, Observable, Subject, share, startWith } from "rxjs";
import type { SnapshotFrom } from "xstate";
import {
  type AgentStateInfo,
  type ClineMessage,
  detectAgentState,
  type Log,
} from "../../machines/message/index.ts";
import type { taskMachine } from "../../machines/task/index.ts";
import type { PublishedCommit } from "../../store/index.ts";
import { messageChanges } from "./message-changes.ts";

/** Snapshot of a task's actor. */
export type TaskSnapshot = SnapshotFrom<typeof taskMachine>;
/** A commit of a task, with the snapshot after it and whether it is durable. */
export type TaskCommit = PublishedCommit<TaskSnapshot>;

/** What readers may still hold of a passive task: they get the same objects when it is activated. */
interface KeptViews {
  readonly snapshot: WeakRef<TaskSnapshot>;
  readonly log: WeakRef<Log>;
  readonly state: WeakRef<AgentStateInfo> | undefined;
}

const keep = (snapshot: TaskSnapshot, state: AgentStateInfo | undefined): KeptViews => ({
  snapshot: new WeakRef(snapshot),
  log: new WeakRef(snapshot.context.log),
  state: state && new WeakRef(state),
});

/** The actors of a task, which are created when they are used. */
interface SnapshotSource {
  /** @throws JournalError */
  use(): { readonly actor: { getSnapshot(): TaskSnapshot } };
}

/**
 * The view that clients have of a task: its durable commits and the snapshot after the latest one. The snapshot's log is
 * the only copy of the messages; the state is derived from its last ones when it is read (L1, L17). A passive task has
 * no snapshot: reading it activates the task.
 */
export class TaskView {
  readonly #source: SnapshotSource;
  /** The commits for subscribers, from the first one on. */
  #commits: Subject<TaskCommit> | undefined;
  #snapshot: TaskSnapshot | undefined;
  #state: AgentStateInfo | undefined;
  /** While the task is passive. */
  #kept: KeptViews | undefined;

  constructor(source: SnapshotSource) {
    this.#source = source;
  }

  /** Show the snapshot of a task that is created or activated. It was not changed meanwhile. */
  attach(initial: TaskSnapshot): void {
    this.#snapshot = this.#kept?.snapshot.deref() ?? initial;
    this.#state = this.#kept?.state?.deref();
    this.#kept = undefined;
  }

  /** The log of a passive task, if a reader still holds it. */
  get keptLog(): Log | undefined {
    return this.#kept?.log.deref();
  }

  /** Show a commit. */
  show(published: TaskCommit): void {
    this.#snapshot = published.snapshot;
    if (published.commit.log.length > 0) this.#state = undefined;
    this.#commits?.next(published);
  }

  /** Release the snapshot of a task that becomes passive. */
  detach(): void {
    this.#kept = this.#snapshot && keep(this.#snapshot, this.#state);
    this.#snapshot = undefined;
    this.#state = undefined;
    if (this.#commits?.observed === false) this.#commits = undefined;
  }

  end(): void {
    this.#subject.complete();
  }

  /** The commits that are shown, in order. */
  get events$(): Observable<TaskCommit> {
    return new Observable((subscriber) => this.#subject.subscribe(subscriber));
  }

  get #subject(): Subject<TaskCommit> {
    this.#commits ??= new Subject();
    return this.#commits;
  }

  /** @throws JournalError where a passive task can't be activated */
  get snapshot(): TaskSnapshot {
    return this.#snapshot ?? this.#source.use().actor.getSnapshot();
  }

  get log(): Log {
    return this.snapshot.context.log;
  }

  get state(): AgentStateInfo {
    // Before the state is read: of a passive task it may be kept.
    const { log } = this;
    this.#state ??= detectAgentState(log);
    return this.#state;
  }

  /** The present state, then the state after each commit that changed the log. */
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

  /** Each message when it is appended, and again after each change. */
  get messages$(): Observable<ClineMessage> {
    return this.events$.pipe(
      mergeMap(({ commit, snapshot }) =>
        messageChanges(snapshot.context.log, commit.log).map(({ message }) => message),
      ),
      share(),
    );
  }
}
