import type { Observable } from "rxjs";
import type { Release } from "../../actors/protocol/edge.ts";
import { throwUncaught } from "../../actors/protocol/uncaught.ts";
import { frozen } from "../../machines/list/frozen.ts";
import { dottedPath, hasNoWork } from "../../machines/message/states.ts";
import { type CommitParts, emptyParts, nonEmptyParts, partsOf } from "../../machines/task/commit.ts";
import type { EffectResult, TaskEmitted } from "../../machines/task/task.events.ts";
import type { Clock } from "../../ports/clock.ts";
import type { JournalDriver } from "../../ports/journal.ts";
import { compactCause } from "../../wire/journal/cause.ts";
import {
  JOURNAL_VERSION,
  type JournalDraft,
  type JournalHeader,
  type TakenCommand,
} from "../../wire/journal/record.ts";
import { RecordedLog } from "../../wire/journal/recorded-log.ts";
import { closedError, type JournalError } from "../journal/error.ts";
import { encodeLine } from "../journal/line.ts";
import type { Commit, PublishedCommit } from "./commit.ts";
import { CommitQueue, type CommitQueueOwner, type Entry } from "./commit-queue.ts";
import { Publisher } from "./publisher.ts";
import type { TaskActor, TaskSnapshot } from "./task-actor.ts";

export interface GateOptions {
  readonly driver: JournalDriver;
  readonly header: JournalHeader;
  readonly clock: Clock;
  /** Sequence number of the last record of the journal. Default: the journal is new. */
  readonly lastSeq?: number;
  /**
   * Format version of that record. Default: the current one. A record of the current version is written before the first
   * commit to a journal of an earlier one.
   */
  readonly version?: number;
  /** Maximum number of commits that wait for the disk; more fail the journal. Default 1000. */
  readonly maxBacklog?: number;
  /**
   * Schedule the write of a batch. Default: at once. With `setImmediate`, all commits of one turn of the event loop
   * share one write.
   */
  readonly scheduleWrite?: (write: () => void) => void;
  /**
   * Called with the error of a task that broke an invariant (the gate then closes), of a listener or effect that threw,
   * or of a file that failed to close. Default: thrown as an uncaught exception, as in XState.
   */
  readonly onError?: (error: unknown) => void;
  /** Called with each record of a commit or an effect once it is durable, in order. */
  readonly onRecord?: (record: JournalDraft) => void;
  /** Called when the gate has closed: it publishes no further commits. */
  readonly onClosed?: () => void;
}

/** The commit gate of one task: each commit becomes durable, then is published, then its effects start (L11). */
export interface Gate<TSnapshot extends TaskSnapshot> {
  /**
   * Delay the start of an effect until the commit of the current macrostep is durable. An effect that is stopped before
   * is started all the same, and must then do nothing.
   */
  readonly release: Release;
  /** Each commit once it is durable, in order; streamed text at once. Completes when the gate closes. */
  readonly commits$: Observable<PublishedCommit<TSnapshot>>;
  /** Add a listener for `commits$`. Returns a function that removes it. */
  onCommit(listener: (published: PublishedCommit<TSnapshot>) => void): () => void;
  /** Attach the task's root actor: once, and before it is started. */
  attach(actor: TaskActor<TSnapshot>): void;
  /**
   * Record the result of an effect, also after a cancel (L10, L12). Resolves once the record is durable.
   * @throws JournalError if the write fails; the record is kept, and written first when the journal works again.
   */
  record(result: EffectResult): Promise<void>;
  /**
   * Take a command of the task's inbox: the record of the macrostep that `apply` causes also has the position of the command,
   * so that it is taken once. A command without such a record gets one of its own. `apply` sends one event to the actor,
   * synchronously, or returns the code of a refusal.
   */
  take(position: number, apply: () => string | undefined): void;
  /** Position of the last command that this gate has taken, which may not be durable yet; 0 without one. */
  readonly taken: number;
  /** Write nothing more: the commits that wait are dropped. For a task that stops as at the end of its process. */
  abandon(): void;
  /**
   * Write all waiting commits, also the commits of a failed write. Resolves once all are durable and published.
   * @throws JournalError if a write fails.
   */
  flushed(): Promise<void>;
  /** Bring the task to rest as a failed write does: the journal may soon have another owner. */
  lose(error: Error): void;
  /** Number of the last record, if all commits are durable and published; undefined otherwise. */
  readonly settledSeq: number | undefined;
  /** Stop observing the actor of a task that becomes passive. The journal stays open and owned; `commits$` does not complete. */
  detach(): void;
  /**
   * Detach the actor, write all waiting commits and close the journal.
   * @throws JournalError if a write fails.
   */
  close(): Promise<void>;
}

/**
 * Create a gate between one task and its journal.
 *
 * @example
 * ```ts
 * import { createGate, memoryJournal } from "signalbox/store";
 * import { systemClock } from "signalbox/actors";
 * const gate = createGate({
 *   driver: memoryJournal(),
 *   header: { taskId: "t1", createdAt: 0 },
 *   clock: systemClock,
 * });
 * gate.onCommit(({ commit }) => console.log(commit.before, "->", commit.after));
 * ```
 */
export function createGate<TSnapshot extends TaskSnapshot>(options: GateOptions): Gate<TSnapshot> {
  return new CommitGate<TSnapshot>(options);
}

const NO_EFFECTS: readonly (() => void)[] = [];

class CommitGate<TSnapshot extends TaskSnapshot> implements Gate<TSnapshot>, CommitQueueOwner<TSnapshot> {
  readonly #clock: Clock;
  readonly driver: JournalDriver;
  readonly publisher: Publisher<TSnapshot>;
  readonly maxBacklog: number;
  readonly scheduleWrite: (write: () => void) => void;
  readonly #onRecord: GateOptions["onRecord"];
  readonly #onError: (error: unknown) => void;
  readonly #queue: CommitQueue<TSnapshot>;
  readonly #recorded = new RecordedLog();
  /** Events that the current macrostep has emitted so far. */
  #emitted: TaskEmitted[] = [];
  /** Undefined once it is detached: what it does then is ignored. */
  #actor: TaskActor<TSnapshot> | undefined;
  #effects: (() => void)[] = [];
  /** The position of the command that is taken, until a record has it. */
  #taking: number | undefined;
  taken = 0;
  #seq: number;
  #path: string | undefined;
  #closing: Promise<void> | undefined;

  constructor({
    driver,
    header,
    clock,
    lastSeq,
    version = JOURNAL_VERSION,
    maxBacklog = 1000,
    onError = throwUncaught,
    onRecord,
    onClosed = () => {},
    scheduleWrite = (write) => write(),
  }: GateOptions) {
    this.#clock = clock;
    this.driver = driver;
    this.#onError = onError;
    this.maxBacklog = maxBacklog;
    this.scheduleWrite = scheduleWrite;
    this.#onRecord = onRecord;
    this.#seq = lastSeq ?? 0;
    this.publisher = new Publisher(onError, onClosed);
    if (lastSeq === undefined) {
      const line = encodeLine({ seq: 0, kind: "header", version: JOURNAL_VERSION, ...header });
      this.#queue = new CommitQueue(this, { line, isHeader: true });
    } else if (version < JOURNAL_VERSION) {
      const draft = { seq: lastSeq + 1, kind: "version", at: clock.now(), version: JOURNAL_VERSION } as const;
      this.#queue = new CommitQueue(this, { line: this.#line(draft), isHeader: false });
    } else this.#queue = new CommitQueue(this);
    driver.onLost?.((error) => this.lose(error));
  }

  get commits$(): Observable<PublishedCommit<TSnapshot>> {
    return this.publisher.commits$;
  }

  readonly release: Release = (start) => {
    if (this.#closing === undefined) this.#effects.push(start);
  };

  onCommit(listener: (published: PublishedCommit<TSnapshot>) => void): () => void {
    return this.publisher.onCommit(listener);
  }

  attach(actor: TaskActor<TSnapshot>): void {
    if (this.#actor !== undefined)
      throw new Error("Expected a gate without an actor. Create one gate for each task.");
    this.#actor = actor;
    actor.on("*", (event) => this.#emitted.push(event));
    actor.subscribe({
      next: (snapshot) => this.#commit(snapshot),
      error: (error) => this.#abort(error),
      complete: () => {},
    });
  }

  record({ callId, content, writes }: EffectResult): Promise<void> {
    if (this.#closing !== undefined) return Promise.reject(closedError(this.driver.path));
    const recorded = this.#recordOf({
      seq: this.#seq + 1,
      kind: "effect.end",
      at: this.#clock.now(),
      callId,
      content,
      ...(writes !== undefined && { writes }),
    });
    return new Promise((resolve, reject) => {
      const waiter = { resolve, reject };
      this.#queue.enqueue({ seq: this.#seq, ...recorded, effects: NO_EFFECTS, waiter, isPublished: false });
    });
  }

  take(position: number, apply: () => string | undefined): void {
    if (this.#closing !== undefined) throw closedError(this.driver.path);
    const path = this.#path;
    if (path === undefined) throw new Error("Expected a started actor. Start it before it takes a command.");
    this.#taking = position;
    try {
      const refused = apply();
      // The actor may have failed: then the command is not taken.
      if (this.#taking !== undefined && this.#closing === undefined)
        this.#recordTaken(this.#path ?? path, refused);
    } finally {
      this.#taking = undefined;
    }
  }

  abandon(): void {
    this.#queue.abandon();
  }

  flushed(): Promise<void> {
    return this.#queue.flush();
  }

  lose(error: Error): void {
    this.#queue.lose(error);
  }

  get settledSeq(): number | undefined {
    return this.#closing === undefined && this.#queue.isEmpty ? this.#seq : undefined;
  }

  detach(): void {
    this.#closing ??= Promise.resolve();
    this.#actor = undefined;
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  onFailed({ message }: JournalError, losesCompletion: boolean): void {
    const at = this.#clock.now();
    this.#actor?.send({
      type: "journal.failed",
      message,
      at,
      ...(losesCompletion && { unwritten: "completion" as const }),
    });
  }

  onOverrun(error: JournalError): void {
    this.#abort(error);
  }

  onIdle(): void {
    if (this.#closing === undefined && hasNoWork(this.#path ?? ""))
      this.driver.release().catch(this.#onError);
  }

  /** Commit a macrostep. XState notifies observers last, after it has emitted all events and started all actors. */
  #commit(snapshot: TSnapshot): void {
    if (this.#actor === undefined) return;
    try {
      const after = dottedPath(snapshot.value);
      const before = this.#path ?? after;
      this.#path = after;
      const parts = partsOf(this.#emitted);
      const moves = this.#emitted.filter((event) => event.type === "call.moved");
      this.#emitted = [];
      const effects = this.#takeEffects();
      if (parts !== undefined) {
        const commit = frozen({ cause: snapshot.context.cause, before, after, ...emptyParts, ...parts });
        const draft = this.#draftOf(commit, parts, snapshot);
        const recorded = draft === undefined ? {} : this.#recordOf(draft);
        this.#queue.enqueue({
          seq: this.#seq,
          ...recorded,
          publication: { commit, snapshot, moves },
          effects,
          isPublished: false,
        });
      } else if (effects.length > 0) this.#queue.enqueue({ seq: this.#seq, effects, isPublished: false });
    } catch (error) {
      this.#abort(error);
    }
  }

  /** The record of a commit; undefined if the commit only streams text. */
  #draftOf(
    { cause, before, after, log }: Commit,
    parts: Partial<CommitParts>,
    { context }: TSnapshot,
  ): JournalDraft | undefined {
    const recorded = nonEmptyParts({ ...parts, log: this.#recorded.record(log, context.log) });
    if (Object.keys(recorded).length === 0) return undefined;
    return {
      seq: this.#seq + 1,
      kind: "commit",
      at: cause?.at ?? this.#clock.now(),
      ...(cause !== undefined && { cause: compactCause(cause) }),
      before,
      after,
      ...this.#takenCommand(),
      ...recorded,
    };
  }

  /** Record a command that no other record has. */
  #recordTaken(path: string, refused: string | undefined): void {
    const seq = this.#seq + 1;
    const at = this.#clock.now();
    const recorded = this.#recordOf({
      seq,
      kind: "commit",
      at,
      before: path,
      after: path,
      ...this.#takenCommand(refused),
    });
    this.#queue.enqueue({ seq, ...recorded, effects: NO_EFFECTS, isPublished: false });
  }

  #takenCommand(refused?: string): { readonly inbox?: TakenCommand } {
    const position = this.#taking;
    if (position === undefined) return {};
    this.#taking = undefined;
    this.taken = position;
    return { inbox: { position, ...(refused !== undefined && { refused }) } };
  }

  #recordOf(draft: JournalDraft): Pick<Entry<TSnapshot>, "line" | "onDurable"> {
    const line = this.#line(draft);
    const onRecord = this.#onRecord;
    return onRecord === undefined ? { line } : { line, onDurable: () => onRecord(draft) };
  }

  #line(draft: JournalDraft): string {
    const line = encodeLine(draft);
    this.#seq = draft.seq;
    return line;
  }

  #takeEffects(): readonly (() => void)[] {
    if (this.#effects.length === 0) return NO_EFFECTS;
    const effects = this.#effects;
    this.#effects = [];
    return effects;
  }

  /** A task broke an invariant: keep its earlier commits and close the gate. */
  #abort(error: unknown): void {
    if (this.#closing !== undefined) return;
    this.#onError(error);
    this.close().catch(this.#onError);
  }

  async #end(): Promise<void> {
    this.#actor = undefined;
    this.#effects = [];
    try {
      await this.#queue.close();
    } finally {
      this.publisher.end();
      await this.driver.close();
    }
  }
}
