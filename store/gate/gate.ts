import type { Observable } from "rxjs";
import { type Clock, type Release, throwUncaught } from "../../actors/protocol/index.ts";
import {
  type CommitParts,
  type EffectResult,
  emptyParts,
  nonEmptyParts,
  partsOf,
  type TaskEmitted,
} from "../../machines/task/index.ts";
import {
  compactCause,
  JOURNAL_VERSION,
  type JournalDraft,
  type JournalHeader,
  RecordedLog,
} from "../../wire/journal/index.ts";
import { closedError, encodeLine, type JournalDriver, type JournalError } from "../journal/index.ts";
import type { Commit, ShownCommit } from "./commit.ts";
import { Pipeline } from "./commit-queue.ts";
import { Stage } from "./publisher.ts";
import { dottedPath, type TaskActor, type TaskSnapshot } from "./task-actor.ts";

export interface GateOptions {
  readonly driver: JournalDriver;
  readonly header: JournalHeader;
  readonly clock: Clock;
  /** The sequence number of the last record that the journal has already. Default: it is new and has none. */
  readonly lastSeq?: number;
  /** Commits that may wait for a slow disk before the journal counts as failed. Default 1000. */
  readonly maxBacklog?: number;
  /**
   * When a batch for the journal is cut: default at once. `setImmediate` lets all that one turn of the event
   * loop decides share one write.
   */
  readonly gather?: (cut: () => void) => void;
  /**
   * Told of a task that broke an invariant (the gate then closes), of a listener or an effect that threw and
   * of a file that would not close. Default: thrown at the process, as XState does.
   */
  readonly onError?: (error: unknown) => void;
}

/** The commit gate of one task: what its macrosteps decide becomes durable, then is shown, then begins (L11). */
export interface Gate<TSnapshot extends TaskSnapshot> {
  /**
   * Holds the start of an effect until the commit of the macrostep that is under way is durable. Stopping an
   * effect that is still held is up to the effect: it is started all the same, and must then do nothing.
   */
  readonly release: Release;
  /** Each commit once it is durable, in order (growth of streamed text at once). Completes when the gate closes. */
  readonly commits$: Observable<ShownCommit<TSnapshot>>;
  /** The same for a plain listener. The function it gives ends it. */
  onShown(listener: (shown: ShownCommit<TSnapshot>) => void): () => void;
  /** Takes up a task's root actor: once, and before it is started. */
  attach(actor: TaskActor<TSnapshot>): void;
  /**
   * Records how an effect ended, also after a cancel (L10, L12). Resolves when that is durable.
   * @throws JournalError when the write failed; the record is kept and written first when the journal works again.
   */
  record(end: EffectResult): Promise<void>;
  /**
   * Writes what waits, also what an earlier write failed on, and resolves when all of it is durable and shown.
   * @throws JournalError when that failed.
   */
  flushed(): Promise<void>;
  /**
   * Writes what waits and ends. The gate no longer hears the actor.
   * @throws JournalError when something could not be written.
   */
  close(): Promise<void>;
}

/**
 * A gate between one task and its journal.
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
 * gate.onShown(({ commit }) => console.log(commit.before, "->", commit.after));
 * ```
 */
export function createGate<TSnapshot extends TaskSnapshot>(options: GateOptions): Gate<TSnapshot> {
  return new CommitGate<TSnapshot>(options);
}

/** States in which a task needs no file handle. */
const RESTS: ReadonlySet<string> = new Set(["no_task", "idle", "resumable"]);
const NO_STARTS: readonly (() => void)[] = [];

class CommitGate<TSnapshot extends TaskSnapshot> implements Gate<TSnapshot> {
  readonly #clock: Clock;
  readonly #driver: JournalDriver;
  readonly #onError: (error: unknown) => void;
  readonly #stage: Stage<TSnapshot>;
  readonly #pipeline: Pipeline<TSnapshot>;
  readonly #recorded = new RecordedLog();
  /** What the present macrostep has emitted so far. */
  #emitted: TaskEmitted[] = [];
  #actor: TaskActor<TSnapshot> | undefined;
  #detach: (() => void) | undefined;
  #starts: (() => void)[] = [];
  #seq: number;
  #path: string | undefined;
  #closing: Promise<void> | undefined;

  constructor({
    driver,
    header,
    clock,
    lastSeq,
    maxBacklog = 1000,
    onError = throwUncaught,
    gather,
  }: GateOptions) {
    this.#clock = clock;
    this.#driver = driver;
    this.#onError = onError;
    this.#seq = lastSeq ?? 0;
    this.#stage = new Stage(onError);
    this.#pipeline = new Pipeline({
      driver,
      header:
        lastSeq === undefined
          ? encodeLine({ seq: 0, kind: "header", version: JOURNAL_VERSION, ...header })
          : undefined,
      stage: this.#stage,
      maxBacklog,
      onFailed: (error) => this.#tell(error),
      onOverrun: (error) => this.#breakOff(error),
      onIdle: () => this.#rest(),
      gather: gather ?? ((cut) => cut()),
    });
  }

  get commits$(): Observable<ShownCommit<TSnapshot>> {
    return this.#stage.commits$;
  }

  readonly release: Release = (start) => {
    if (this.#closing === undefined) this.#starts.push(start);
  };

  onShown(listener: (shown: ShownCommit<TSnapshot>) => void): () => void {
    return this.#stage.onShown(listener);
  }

  attach(actor: TaskActor<TSnapshot>): void {
    if (this.#actor !== undefined) throw new Error("This gate has its actor: make one gate for each task.");
    this.#actor = actor;
    const emitted = actor.on("*", (event) => this.#emitted.push(event));
    const snapshots = actor.subscribe({
      next: (snapshot) => this.#settle(snapshot),
      error: (error) => this.#breakOff(error),
      complete: () => {},
    });
    this.#detach = () => {
      emitted.unsubscribe();
      snapshots.unsubscribe();
    };
  }

  record(end: EffectResult): Promise<void> {
    if (this.#closing !== undefined) return Promise.reject(closedError(this.#driver.path));
    const { callId, content } = end;
    const line = this.#line({
      seq: this.#seq + 1,
      kind: "effect.end",
      at: this.#clock.now(),
      callId,
      content,
    });
    return new Promise((resolve, reject) => {
      const waiter = { resolve, reject };
      this.#pipeline.put({ seq: this.#seq, line, starts: NO_STARTS, waiter, shown: false });
    });
  }

  flushed(): Promise<void> {
    return this.#pipeline.flush();
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  /** A macrostep has ended: XState tells its observers last, after it has emitted and started everything. */
  #settle(snapshot: TSnapshot): void {
    try {
      const after = dottedPath(snapshot.value);
      const before = this.#path ?? after;
      this.#path = after;
      const parts = partsOf(this.#emitted);
      this.#emitted = [];
      const starts = this.#takeStarts();
      if (parts !== undefined) {
        const commit = { cause: snapshot.context.cause, before, after, ...emptyParts, ...parts };
        const line = this.#lineOf(commit, parts, snapshot);
        this.#pipeline.put({
          seq: this.#seq,
          ...(line !== undefined && { line }),
          view: { commit, snapshot },
          starts,
          shown: false,
        });
      } else if (starts.length > 0) this.#pipeline.put({ seq: this.#seq, starts, shown: false });
    } catch (error) {
      this.#breakOff(error);
    }
  }

  /** The line of a commit's record; none where it only grows text. */
  #lineOf(
    { cause, before, after, log }: Commit,
    parts: Partial<CommitParts>,
    { context }: TSnapshot,
  ): string | undefined {
    const recorded = nonEmptyParts({ ...parts, log: this.#recorded.record(log, context.log) });
    if (Object.keys(recorded).length === 0) return undefined;
    return this.#line({
      seq: this.#seq + 1,
      kind: "commit",
      at: cause?.at ?? this.#clock.now(),
      ...(cause !== undefined && { cause: compactCause(cause) }),
      before,
      after,
      ...recorded,
    });
  }

  #line(draft: JournalDraft): string {
    const line = encodeLine(draft);
    this.#seq = draft.seq;
    return line;
  }

  #takeStarts(): readonly (() => void)[] {
    if (this.#starts.length === 0) return NO_STARTS;
    const starts = this.#starts;
    this.#starts = [];
    return starts;
  }

  #tell(error: JournalError): void {
    this.#actor?.send({ type: "journal.failed", message: error.message, at: this.#clock.now() });
  }

  /** A task that broke an invariant: what it had decided before that stays; nothing of it goes on (DESIGN 3). */
  #breakOff(error: unknown): void {
    if (this.#closing !== undefined) return;
    this.#onError(error);
    this.close().catch(this.#onError);
  }

  #rest(): void {
    const [state = ""] = (this.#path ?? "").split(".", 1);
    if (this.#closing === undefined && RESTS.has(state)) this.#driver.rest().catch(this.#onError);
  }

  async #end(): Promise<void> {
    this.#detach?.();
    this.#starts = [];
    try {
      await this.#pipeline.close();
    } finally {
      this.#stage.end();
      await this.#driver.close();
    }
  }
}
