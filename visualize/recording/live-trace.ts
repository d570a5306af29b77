import { Observable, type Subscriber } from "rxjs";
import { dottedPath } from "../../actors/index.ts";
import type { Task, TaskCommit } from "../../client/index.ts";
import { emptyMemory } from "../../machines/task/index.ts";
import { type LiveMarks, type TraceEvent, Tracer } from "../../trace/index.ts";
import { type JournalRecord, rememberRecord } from "../../wire/index.ts";
import { asItIs, isGrowth, LiveRecords } from "./live-record.ts";
import { MicrostepWatch } from "./microsteps.ts";

/** Commits that wait while the journal is read: so many at most. */
export const DEFAULT_TRACE_BOUND = 10_000;

export interface LiveTraceOptions {
  /** The records of the task's journal from the first on, read anew each time: `() => readJournal(driver, ...)`. */
  readonly records: () => AsyncIterable<JournalRecord>;
  /**
   * Commits that are kept while the journal is read, before the trace is live. Default {@link DEFAULT_TRACE_BOUND}. What
   * is more is dropped: what the journal has of it is read from there; growth of streamed text and microsteps are lost.
   */
  readonly bound?: number;
  /** Told how many commits were dropped, each time that the bound was reached. */
  readonly onDropped?: (count: number) => void;
  /** Adds the microsteps of what comes from now on. Default false: then nothing observes XState. */
  readonly inspect?: boolean;
}

/**
 * A task's trace while it is open: first what its journal has, then each commit as it is shown, growth too. It ends when
 * the task is closed. Each subscriber has a trace of its own, whose places begin at 0.
 *
 * How an effect ended that was stopped before is only in the journal: it is told before the commit that follows it.
 * It errors with what `records` throws.
 */
export function liveTrace(task: Task, options: LiveTraceOptions): Observable<TraceEvent> {
  return new Observable((subscriber) => {
    const live = new LiveTrace(task, options, subscriber);
    return () => live.stop();
  });
}

class LiveTrace {
  readonly #options: LiveTraceOptions;
  readonly #subscriber: Subscriber<TraceEvent>;
  readonly #tracer: Tracer;
  readonly #records = new LiveRecords();
  readonly #watch: MicrostepWatch | undefined;
  readonly #ends: (() => void)[] = [];
  #waiting: TaskCommit[] = [];
  #dropped = 0;
  #isReading = true;
  #isClosed = false;
  /** The newest record that was told. */
  #seq = -1;

  constructor(task: Task, options: LiveTraceOptions, subscriber: Subscriber<TraceEvent>) {
    this.#options = options;
    this.#subscriber = subscriber;
    this.#tracer = new Tracer(task.id);
    if (options.inspect === true) {
      this.#watch = new MicrostepWatch();
      this.#ends.push(task.inspect(this.#watch.observe));
    }
    const { snapshot } = task;
    this.#records.begin(snapshot.context.log);
    const shown = task.events$.subscribe({
      next: (commit) => this.#take(commit),
      complete: () => {
        this.#isClosed = true;
        if (!this.#isReading) this.#read(this.#catchUp());
      },
    });
    this.#ends.push(() => shown.unsubscribe());
    this.#read(this.#tellPast(snapshot));
  }

  stop(): void {
    for (const end of this.#ends) end();
    this.#waiting = [];
  }

  #take(commit: TaskCommit): void {
    if (!this.#isReading && !this.#isBehind(commit)) {
      this.#tell(commit);
      return;
    }
    if (this.#waiting.length >= (this.#options.bound ?? DEFAULT_TRACE_BOUND)) this.#dropped += 1;
    else this.#waiting.push(commit);
    if (!this.#isReading) this.#read(this.#catchUp());
  }

  /** Whether the journal has records between what was told and this. */
  #isBehind(commit: TaskCommit): boolean {
    return commit.durable && firstOf(commit) > this.#seq + 1;
  }

  /** Once what was read is told, tells what waited meanwhile. */
  #read(reading: Promise<void>): void {
    this.#isReading = true;
    reading.then(
      () => this.#drain(),
      (error: unknown) => this.#subscriber.error(error),
    );
  }

  #drain(): void {
    if (this.#dropped > 0) {
      this.#options.onDropped?.(this.#dropped);
      this.#dropped = 0;
    }
    // What the first one lacked was read, if the journal has it.
    let isNext = true;
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (!isNext && this.#isBehind(next)) {
        this.#read(this.#catchUp());
        return;
      }
      isNext = false;
      this.#waiting.shift();
      this.#tell(next);
    }
    this.#isReading = false;
    if (this.#isClosed) this.#subscriber.complete();
  }

  async #tellPast({ context, value }: Task["snapshot"]): Promise<void> {
    let memory = emptyMemory;
    await this.#catchUp((record) => {
      memory = rememberRecord(memory, record);
    });
    const row = context.log.at(-1);
    const told = memory.log.at(-1);
    // A row that streamed before has grown since it was recorded.
    if (row?.partial !== true || told?.partial !== true || told.ts !== row.ts) return;
    const state = dottedPath(value);
    const grown = { seq: this.#seq, kind: "commit", at: row.ts, before: state, after: state } as const;
    const nothing = {
      conversation: [],
      decisions: [],
      turnEnded: false,
      calls: [],
      effects: [],
      reports: [],
    };
    this.#tellRecord({ ...grown, ...nothing, log: [asItIs(row)] });
  }

  /** Tells the records that no commit has shown, up to the commit that waits first. */
  async #catchUp(onRecord: (record: JournalRecord) => void = () => {}): Promise<void> {
    for await (const record of this.#options.records()) {
      const first = this.#waiting[0];
      if (this.#subscriber.closed || (first !== undefined && record.seq >= firstOf(first))) return;
      if (record.seq <= this.#seq) continue;
      onRecord(record);
      this.#tellRecord(record);
    }
  }

  #tell(shown: TaskCommit): void {
    const isOld = isGrowth(shown) ? shown.seq < this.#seq : shown.seq <= this.#seq && shown.durable;
    if (isOld) return;
    const microsteps = this.#watch?.of(shown.snapshot);
    this.#tellRecord(this.#records.of(shown), {
      ...(!shown.durable && { durable: false }),
      ...(microsteps !== undefined && { microsteps }),
    });
  }

  #tellRecord(record: JournalRecord, marks?: LiveMarks): void {
    this.#seq = Math.max(this.#seq, record.seq);
    this.#subscriber.next(this.#tracer.add(record, marks));
  }
}

/** The first record that is not before this commit: growth comes after the record whose number it bears. */
const firstOf = (commit: TaskCommit): number => commit.seq + (isGrowth(commit) ? 1 : 0);
