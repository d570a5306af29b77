import { filter, map, mergeMap, Observable, Subject, share, startWith } from "rxjs";
import type { SnapshotFrom } from "xstate";
import { frozen } from "../../machines/list/frozen.ts";
import { type AgentStateInfo, detectAgentState } from "../../machines/message/detect.ts";
import type { Log } from "../../machines/message/log.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import type { taskMachine } from "../../machines/task/task.machine.ts";
import type { PublishedCommit } from "../../store/gate/commit.ts";
import { messageChanges } from "./message-changes.ts";

/** Snapshot of a task's actor. */
export type TaskSnapshot = SnapshotFrom<typeof taskMachine>;
/** A commit of a task, with the snapshot after it and whether it is durable. */
export type TaskCommit = PublishedCommit<TaskSnapshot>;

/** A snapshot that is handed out, and that is the actor's own. The values in its context are frozen when they are made. */
function shown(snapshot: TaskSnapshot): TaskSnapshot {
  Object.freeze(snapshot.context);
  return Object.freeze(snapshot);
}

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
  // The objects that a reader may still hold when the task becomes passive: it gets them again. Defined once it has read
  // one; until the task is passive it may be an older one.
  #readSnapshot: WeakRef<TaskSnapshot> | undefined;
  #readLog: WeakRef<Log> | undefined;
  #readState: WeakRef<AgentStateInfo> | undefined;

  constructor(source: SnapshotSource) {
    this.#source = source;
  }

  /** Show the snapshot of a task that is created or activated. It was not changed in the meantime. */
  attach(initial: TaskSnapshot): void {
    this.#snapshot = this.#readSnapshot?.deref() ?? shown(initial);
    this.#state = this.#readState?.deref();
  }

  /** The log of a passive task, if a reader still holds it. */
  get heldLog(): Log | undefined {
    return this.#readLog?.deref();
  }

  /** Show a commit. */
  show(published: TaskCommit): void {
    this.#snapshot = shown(published.snapshot);
    if (published.commit.log.length > 0) this.#state = undefined;
    this.#commits?.next(published);
  }

  /** Release the snapshot of a task that becomes passive. */
  detach(): void {
    const snapshot = this.#shown;
    this.#readSnapshot &&= new WeakRef(snapshot);
    this.#readLog &&= new WeakRef(snapshot.context.log);
    this.#readState = this.#state && new WeakRef(this.#state);
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
    const snapshot = this.#shown;
    this.#readSnapshot ??= new WeakRef(snapshot);
    return snapshot;
  }

  get log(): Log {
    const { log } = this.#shown.context;
    this.#readLog ??= new WeakRef(log);
    return log;
  }

  get state(): AgentStateInfo {
    // First: activating a task restores its state.
    const { log } = this.#shown.context;
    this.#state ??= frozen(detectAgentState(log));
    return this.#state;
  }

  get #shown(): TaskSnapshot {
    if (this.#snapshot !== undefined) return this.#snapshot;
    const { actor } = this.#source.use();
    // Now it is attached.
    return this.#snapshot ?? shown(actor.getSnapshot());
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
