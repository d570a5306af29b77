import type { Subject } from "rxjs";
import type { Task } from "../../../runtime/task/task.ts";
import type { TaskCommit } from "../../../runtime/task/task-view.ts";
import type { CommitRecord, JournalRecord } from "../../../wire/journal/record.ts";
import { senderOf, UNSTARTED } from "../sender.ts";
import type { TraceEvent } from "../trace-event.ts";
import { BoundedQueue } from "./bounded-queue.ts";
import { type Amendment, LastMessage, type LatestRecord } from "./last-message.ts";
import { isGrowing, isGrowth, LiveRecords } from "./live-record.ts";
import { type Macrostep, MicrostepCollector } from "./microsteps.ts";
import { formatNextStep } from "./next-step.ts";
import { type EventIndex, type EventPosition, isBefore } from "./position.ts";

/** The fields of an event that only readers get who inspect the machine. */
export type Inspection = Pick<TraceEvent, "microsteps" | "moves" | "next">;

/** An event in the buffer that all readers share. */
export interface BufferedEvent extends EventPosition {
  /** The number of records before this event that were not delivered: results of tools. */
  readonly hidden: number;
  readonly from: string;
  readonly because: EventIndex | undefined;
  readonly isDurable: boolean;
  readonly commit: CommitRecord;
  readonly inspection: Inspection;
  /** The snapshots around its macrostep, if the machine was inspected. */
  readonly macrostep: Macrostep | undefined;
}

/** Where a reader of the journal joins the buffered events, and what it lacks there. */
export interface JoinPoint {
  readonly position: EventPosition;
  /** The last message, if it has text that no journal has yet. */
  readonly unrecorded?: Amendment;
  readonly state: LatestRecord;
}

/** The records and the channel that a task's openings share. */
export interface LiveSource {
  readonly records: () => AsyncIterable<JournalRecord>;
  readonly changes$: Subject<void>;
}

export interface LiveEventsOptions {
  /** The limit of buffered events. */
  readonly events: number;
  /** The limit of their total weight; the newest is always kept. Default: none. */
  readonly weight?: {
    readonly max: number;
    readonly of: (event: Pick<BufferedEvent, "commit" | "inspection">) => number;
  };
  /** The time of commits without a cause, at first. */
  readonly now: number;
  /** Called with the number of dropped events, each time. */
  readonly onDropped?: (count: number) => void;
}

/** The prefix of the ids of running tools: only their ends are records of their own. */
const TOOL = "tool:";

const NOTHING_STARTED: ReadonlyMap<string, EventIndex> = new Map();

/**
 * The newest events of an open task, for any number of readers, each at its own position. The buffer is bounded:
 * dropped events are read from the journal again, except growth, which is replaced by the message as it was.
 */
export class LiveEvents {
  /** The id of this opening: eight hexadecimal digits. */
  readonly opening = randomId();
  readonly #task: Task;
  readonly #source: LiveSource;
  readonly #options: LiveEventsOptions;
  readonly #records: LiveRecords;
  readonly #buffer: BoundedQueue<BufferedEvent>;
  /** The last dropped event or, at first, the position before the first event. */
  #before: EventPosition | undefined;
  /** The newest record before the first event. */
  #past: number | undefined;
  #newest: EventPosition | undefined;
  /** The last record of the journal, as a reader found it before the first event. */
  #recorded: number | undefined;
  /** After the event {@link #before}. */
  readonly #message: LastMessage;
  #state: LatestRecord;
  readonly #started = new Map<string, EventIndex>();
  /** The senders that were started before the first event, once they were read. */
  #startedBefore: ReadonlyMap<string, EventIndex> | undefined;
  #collector: MicrostepCollector | undefined;
  #stopInspecting = (): void => {};
  readonly #commits: { unsubscribe(): void };
  /** Tools that were stopped and whose end was not recorded before a delivered commit. */
  #pendingEnds = 0;
  #isClosed = false;

  constructor(task: Task, source: LiveSource, options: LiveEventsOptions) {
    const { events, weight, now } = options;
    this.#task = task;
    this.#source = source;
    this.#options = options;
    const { max = Number.POSITIVE_INFINITY, of = () => 0 } = weight ?? {};
    this.#buffer = new BoundedQueue<BufferedEvent>(events, max, of);
    this.#records = new LiveRecords(task.log, now);
    const message = task.log.at(-1);
    this.#message = new LastMessage(message, message !== undefined && isGrowing(message));
    this.#state = { seq: 0, at: now, state: task.state.state };
    this.#commits = task.events$.subscribe({
      next: (commit) => this.#add(commit),
      complete: () => this.#close(),
    });
  }

  /** Whether the task was closed. The buffered events stay. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether the journal may have ends of effects after the newest event. */
  get hasPendingEnds(): boolean {
    return this.#pendingEnds > 0;
  }

  /** The event before the first that is buffered; undefined before the first event. */
  get before(): EventPosition | undefined {
    return this.#before;
  }

  /** Stop collecting and inspecting. */
  stop(): void {
    this.#commits.unsubscribe();
    this.uninspect();
  }

  /** Collect the microsteps of coming events. Until then XState is not inspected. */
  inspect(): void {
    if (this.#collector !== undefined) return;
    this.#collector = new MicrostepCollector();
    this.#stopInspecting = this.#task.inspect(this.#collector.observe);
  }

  uninspect(): void {
    this.#stopInspecting();
    this.#collector = undefined;
  }

  /** Whether all events after this position are buffered. */
  reaches(position: Pick<EventPosition, "record" | "growth">): boolean {
    return this.#before === undefined || !isBefore(position, this.#before);
  }

  /** The first event after this position. */
  after(position: Pick<EventPosition, "record" | "growth">): BufferedEvent | undefined {
    return this.#buffer.search((event) => isBefore(position, event));
  }

  /** The number of the newest record that was delivered; before the first, of the last one that a reader found. */
  get newestRecord(): number | undefined {
    return this.#newest?.record ?? this.#recorded;
  }

  /** A reader found that the journal ends with this record. */
  foundEnd(record: number): void {
    if (this.#newest === undefined) this.#recorded = record;
  }

  /** The macrostep that appended this record; undefined if the machine was not inspected, or the event was dropped. */
  macrostepOf(record: number): Macrostep | undefined {
    const found = this.#buffer.search((event) => event.record >= record);
    return found?.record === record && found.growth === 0 ? found.macrostep : undefined;
  }

  /** The macrostep that followed this record; undefined where {@link macrostepOf} is, or before one follows. */
  macrostepAfter(record: number): Macrostep | undefined {
    const next = this.after({ record, growth: 0 });
    return next !== undefined && next.record <= record + 1 ? next.macrostep : undefined;
  }

  /** Drop the events up to this position. */
  release(position: Pick<EventPosition, "record" | "growth">): void {
    this.#forget(this.#buffer.shiftWhile((event) => !isBefore(position, event)));
  }

  /** Where a reader joins that has the journal up to this record, which must be reached. */
  joinPoint(record: number): JoinPoint {
    const before = this.#before ?? { record, growth: 0, seq: record };
    let position: EventPosition = before.record === record ? before : { record, growth: 0, seq: record };
    const message = this.#message.copy();
    let { state, at } = this.#state;
    for (const event of this.#buffer.values()) {
      if (isBefore(position, event)) break;
      message.apply(event.commit.log);
      position = event;
      ({ after: state, at } = event.commit);
    }
    const { unrecorded } = message;
    return { position, state: { seq: record, at, state }, ...(unrecorded !== undefined && { unrecorded }) };
  }

  /** The event that started a sender; before the first event, as far as {@link readStarts} has read. */
  startOf({ from, because }: Pick<BufferedEvent, "from" | "because">): EventIndex | undefined {
    return because ?? (UNSTARTED.has(from) ? undefined : this.#startedBefore?.get(from));
  }

  /** The same for a sender whose result is only in the journal. */
  startOfSender(from: string): EventIndex | undefined {
    return this.#started.get(from) ?? this.#startedBefore?.get(from);
  }

  /** Whether only the journal contains the start of this sender. */
  isUnread(from: string): boolean {
    return this.#startedBefore === undefined && !UNSTARTED.has(from) && !this.#started.has(from);
  }

  /** Read from the journal which senders were started before the first event. */
  async readStarts(): Promise<void> {
    const started = new Map<string, EventIndex>();
    const until = this.#past ?? Number.POSITIVE_INFINITY;
    for await (const record of this.#source.records()) {
      if (record.seq > until) break;
      if (record.kind !== "commit") continue;
      for (const { type, id } of record.effects)
        if (type === "effect.started") started.set(id, { record: record.seq, seq: record.seq });
    }
    this.#startedBefore = started;
  }

  #add(delivered: TaskCommit): void {
    const { commit, durable } = delivered;
    const position = this.#positionOf(delivered);
    const { growth, seq } = position;
    this.#before ??= {
      record: growth === 0 ? delivered.seq - 1 : delivered.seq,
      growth: 0,
      seq: seq - 1,
    };
    this.#past ??= this.#before.record;
    // A new task has started nothing.
    if (this.#past <= 0) this.#startedBefore ??= NOTHING_STARTED;
    const record = this.#records.of(delivered);
    const from = senderOf(record);
    const because = this.#started.get(from);
    const hidden = durable && this.#newest !== undefined ? seq - this.#newest.seq - 1 : 0;
    this.#pendingEnds = Math.max(0, this.#pendingEnds - hidden);
    for (const { type, id } of commit.effects) {
      if (type === "effect.started") this.#started.set(id, position);
      // A tool that reports its own end has no end to come.
      else if (id.startsWith(TOOL) && id !== from) this.#pendingEnds += 1;
    }
    const macrostep = this.#collector?.of(delivered.snapshot);
    const dropped = this.#buffer.push({
      record: position.record,
      growth,
      seq,
      hidden,
      from,
      because,
      isDurable: durable,
      commit: record,
      inspection: inspectionOf(delivered, macrostep),
      macrostep,
    });
    this.#newest = position;
    this.#forget(dropped);
    if (dropped.length > 0) this.#options.onDropped?.(dropped.length);
    this.#source.changes$.next();
  }

  #forget(dropped: readonly BufferedEvent[]): void {
    for (const event of dropped) {
      const { seq, at, after, log } = event.commit;
      this.#message.apply(log);
      this.#state = { seq, at, state: after };
      this.#before = event;
    }
  }

  /** Growth is not recorded: it is counted after the newest record. A record that is not delivered takes a `seq` as well. */
  #positionOf(delivered: TaskCommit): EventPosition {
    const { seq: record, durable } = delivered;
    const newest = this.#newest;
    if (newest === undefined) {
      const growth = isGrowth(delivered) ? 1 : 0;
      return { record, growth, seq: record + growth };
    }
    if (record === newest.record) return { record, growth: newest.growth + 1, seq: newest.seq + 1 };
    // A commit that is delivered before it is durable sums up all records that wait.
    return { record, growth: 0, seq: newest.seq + (durable ? record - newest.record : 1) };
  }

  #close(): void {
    this.#isClosed = true;
    this.uninspect();
    this.#source.changes$.next();
  }
}

function inspectionOf({ commit, snapshot, moves }: TaskCommit, macrostep: Macrostep | undefined): Inspection {
  const next = formatNextStep(snapshot.context, commit.after);
  return {
    ...(macrostep !== undefined && { microsteps: macrostep.microsteps }),
    ...(moves.length > 0 && { moves: moves.map(({ type: _, ...move }) => move) }),
    ...(next !== undefined && { next }),
  };
}

function randomId(): string {
  const [bits = 0] = crypto.getRandomValues(new Uint32Array(1));
  return bits.toString(16).padStart(8, "0");
}
