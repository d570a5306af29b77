import type { WakeSignal } from "../../../actors/protocol/wake-signal.ts";
import type { JournalRecord } from "../../../wire/journal/record.ts";
import { TraceError } from "../recording/error.ts";
import type { TraceEvent } from "../trace-event.ts";
import { Tracer } from "../tracer.ts";
import type { Channel, GrowingRecords } from "./channel.ts";
import { amendmentRecord, LastMessage, type LatestRecord } from "./last-message.ts";
import type { BufferedEvent, Inspection, LiveEvents } from "./live-events.ts";
import { BEGINNING, type EventIndex, NO_OPENING, type ReaderPosition } from "./position.ts";

/** The next item for a reader. */
export type FollowedItem =
  | { readonly type: "event"; readonly event: TraceEvent; readonly position: ReaderPosition }
  /** The reader has all events so far. Once. */
  | { readonly type: "live" }
  /** Nothing more for now: the reader may flush. */
  | { readonly type: "pause"; readonly isOpen: boolean }
  /** It was live and fell behind: events were dropped. */
  | { readonly type: "behind" };

export interface FollowOptions {
  /** The reader's position. Default: the beginning. */
  readonly at?: ReaderPosition | undefined;
  /** Add microsteps to the events from now on. Default false: then XState is not inspected. */
  readonly microsteps?: boolean;
  /** Whether a live reader that falls behind ends or reads the journal again. Default `leave`. */
  readonly whenBehind?: "leave" | "read";
}

/** An event without its `seq`. */
interface EventDraft {
  readonly record: JournalRecord;
  readonly from: string;
  readonly because?: number | undefined;
  readonly isDurable?: boolean;
  readonly inspection?: Inspection | undefined;
}

/**
 * Read a task's events for one reader, in order, from its position: each once, numbered without a gap. It continues
 * when the task is closed and opened again, until its signal is aborted.
 */
export class Follower {
  readonly #channel: Channel;
  readonly #signal: WakeSignal;
  readonly #options: FollowOptions;
  #at: ReaderPosition;
  /** The opening that it reads; undefined while it reads the journal. */
  #live: LiveEvents | undefined;
  #wasLive = false;
  /** Whether the journal is known to reach the reader's first position. */
  #isFound: boolean;
  /** Whether the reader has the last message as it was before the first event of the opening. */
  #hasLastMessage = false;
  /** The journal up to its end, after it was read whole. */
  #reading: Reading | undefined;
  /** The `seq`, for this reader, of the events that started each sender. */
  readonly #started = new Map<string, number>();

  constructor(channel: Channel, signal: WakeSignal, options: FollowOptions = {}) {
    const { at = BEGINNING } = options;
    this.#channel = channel;
    this.#signal = signal;
    this.#options = options;
    this.#at = at;
    if (channel.live?.opening === at.opening) this.#live = channel.live;
    this.#isFound = at === BEGINNING || this.#live !== undefined;
  }

  /**
   * @throws TraceError `TRACE_POSITION` if the task's journal does not reach the position
   * @throws what reading the records throws
   */
  async *items(): AsyncGenerator<FollowedItem, void> {
    const changes = this.#channel.changes$.subscribe(this.#signal.wake);
    const uninspect = this.#options.microsteps === true ? this.#channel.inspect() : () => {};
    try {
      while (!this.#signal.isAborted) {
        const live = this.#live ?? this.#channel.live;
        let hasAll = false;
        if (live === undefined) hasAll = yield* this.#readToEnd();
        else if (live !== this.#live) hasAll = yield* this.#join(live);
        else if (live.reaches(this.#at)) {
          const ready = this.#ready(live);
          if (ready === undefined) hasAll = yield* this.#readMore(live);
          else yield ready;
        } else if (this.#wasLive && this.#options.whenBehind !== "read") return yield { type: "behind" };
        // The amendment that closes a grown message carries all of it: missed growth needs no repair.
        else this.#leave({ ...this.#at, growth: 0 });
        // Here, and not in a nested generator: that would take more memory than the rest of a waiting reader.
        if (hasAll) await this.#signal.wait();
      }
    } finally {
      uninspect();
      changes.unsubscribe();
    }
  }

  /** Read a task that is not open. Returns whether the reader has all events, as the two below. */
  async *#readToEnd(): AsyncGenerator<FollowedItem, boolean> {
    yield* this.#readJournal();
    return this.#channel.live === undefined && (yield* this.#pause(false));
  }

  /** Read the events before the buffered ones, then switch to the buffer. */
  async *#join(live: LiveEvents): AsyncGenerator<FollowedItem, boolean> {
    const start = this.#at;
    const isMissing = live.before === undefined || start.record < live.before.record || start.growth > 0;
    if (isMissing || !this.#isFound) {
      const journal = yield* this.#readJournal(live);
      if (live.before === undefined) yield* this.#readLastMessage(live, journal);
    }
    const { before } = live;
    if (before === undefined) live.foundEnd(this.#at.record);
    if (before !== undefined && this.#at.record >= before.record) yield* this.#enter(live);
    // The journal has no further events, or nothing has happened yet. Otherwise more was dropped, and is read next.
    else if (before === undefined || this.#at === start) return yield* this.#pause(true);
    return false;
  }

  /** A message that streamed before the first followed event has unrecorded growth. */
  async *#readLastMessage(
    live: LiveEvents,
    { message, state }: JournalState,
  ): AsyncGenerator<FollowedItem, void> {
    const { state: current, unrecorded } = live.joinPoint(this.#at.record);
    if (this.#hasLastMessage || unrecorded === undefined || message.ts !== unrecorded.ts) return;
    this.#hasLastMessage = true;
    const record = amendmentRecord(unrecorded, { ...current, at: state.at });
    yield this.#item({ record, from: "task" }, this.#at);
  }

  async *#enter(live: LiveEvents): AsyncGenerator<FollowedItem, void> {
    const { seq, record } = this.#at;
    const { position, unrecorded, state } = live.joinPoint(record);
    this.#live = live;
    this.#reading = undefined;
    this.#at = {
      seq,
      record,
      growth: position.growth,
      opening: live.opening,
      upTo: record,
      isPlain: seq === record,
    };
    if (unrecorded !== undefined && !this.#hasLastMessage)
      yield this.#item({ record: amendmentRecord(unrecorded, state), from: "task" }, this.#at);
  }

  #leave(at: ReaderPosition): void {
    this.#live = undefined;
    this.#hasLastMessage = false;
    this.#at = { ...at, opening: NO_OPENING };
  }

  /** The next event, if the journal is not needed for it. */
  #ready(live: LiveEvents): FollowedItem | undefined {
    const next = live.after(this.#at);
    if (next === undefined || next.hidden > 0 || live.isUnread(next.from)) return undefined;
    return this.#buffered(live, next);
  }

  async *#readMore(live: LiveEvents): AsyncGenerator<FollowedItem, boolean> {
    const next = live.after(this.#at);
    if (next === undefined) {
      if (!live.isClosed) return yield* this.#pause(true);
      this.#leave(this.#at);
      // The journal has nothing more.
      return !live.hasPendingEnds && this.#channel.live === undefined && (yield* this.#pause(false));
    }
    if (live.isUnread(next.from)) await live.readStarts();
    if (next.hidden > 0) yield* this.#readHidden(live, next);
    yield this.#buffered(live, next);
    return false;
  }

  #buffered(live: LiveEvents, event: BufferedEvent): FollowedItem {
    const { record, growth, from, isDurable, inspection } = event;
    const because = this.#seqOf(live.startOf(event), event.seq);
    const { seq, opening, upTo, isPlain } = this.#at;
    const isAsked = this.#options.microsteps === true;
    return this.#item(
      { record: event.commit, from, because, isDurable, inspection: isAsked ? inspection : undefined },
      { seq, record, growth, opening, upTo, isPlain },
    );
  }

  /** The tool results that were recorded before this event and not delivered. */
  async *#readHidden(
    live: LiveEvents,
    { record: next, seq }: BufferedEvent,
  ): AsyncGenerator<FollowedItem, void> {
    const tracer = new Tracer(this.#channel.taskId);
    for await (const record of this.#channel.records()) {
      if (record.seq >= next) break;
      const { from } = tracer.add(record);
      if (record.seq <= this.#at.record) continue;
      if (live.isUnread(from)) await live.readStarts();
      const because = this.#seqOf(live.startOfSender(from), seq - (next - record.seq));
      yield this.#item({ record, from, because }, { ...this.#at, record: record.seq, growth: 0 });
    }
  }

  /** The reader's `seq` of an event of this opening, while the reader is about to get the event `next`. */
  #seqOf(index: EventIndex | undefined, next: number): number | undefined {
    if (index === undefined) return undefined;
    const { upTo, isPlain } = this.#at;
    if (index.record <= upTo) return isPlain ? index.record : undefined;
    return index.seq - (next - (this.#at.seq + 1));
  }

  /**
   * Read the journal from the reader's position to its end, or up to `live`. Return the last message and the state
   * there. `live` may begin during the reading.
   */
  async *#readJournal(live?: LiveEvents): AsyncGenerator<FollowedItem, JournalState> {
    const start = this.#at;
    const reading = this.#reading ?? new Reading(this.#channel);
    // A record that is not passed on would be missing the next time.
    this.#reading = undefined;
    let isRestored = start.growth === 0;
    let isWhole = true;
    for await (const record of reading.records.read()) {
      isWhole = this.#mayRead(record.seq, start, live);
      if (!isWhole) break;
      if (record.kind === "header") reading.restart();
      const { journal } = reading;
      const { from, because } = reading.tracer.add(record);
      if (record.seq > start.record) {
        if (!isRestored) yield* this.#restore(journal);
        isRestored = true;
        this.#hasLastMessage = false;
        const seq = this.#at.seq + 1;
        const upTo = seq === record.seq ? seq : this.#at.upTo;
        const at = { ...this.#at, record: record.seq, growth: 0, upTo };
        yield this.#item({ record, from, because: shifted(start, because, seq - record.seq) }, at);
      }
      journal.apply(record);
    }
    const { journal } = reading;
    if (isWhole) this.#reading = reading;
    if (!isRestored) yield* this.#restore(journal);
    if (!this.#signal.isAborted) this.#assertFound(journal, start);
    return journal;
  }

  #mayRead(record: number, start: ReaderPosition, live: LiveEvents | undefined): boolean {
    const until = live?.before?.record ?? Number.POSITIVE_INFINITY;
    return !this.#signal.isAborted && record <= Math.max(until, start.record);
  }

  /** Growth of a closed opening was never recorded: the message is reset to its records. */
  async *#restore({ message, state }: JournalState): AsyncGenerator<FollowedItem, void> {
    const { restored } = message;
    const at = { ...this.#at, growth: 0 };
    if (restored === undefined) this.#at = at;
    else yield this.#item({ record: amendmentRecord(restored, state), from: "task" }, at);
  }

  #assertFound({ state }: JournalState, start: ReaderPosition): void {
    if (!this.#isFound && state.seq < start.record)
      throw new TraceError(
        "TRACE_POSITION",
        `The journal of task ${this.#channel.taskId} has no record ${start.record}: its newest is ${state.seq}. Discard the events you have, and read the trace from its beginning.`,
      );
    this.#isFound = true;
  }

  #item(
    { record, from, because, isDurable = true, inspection }: EventDraft,
    at: ReaderPosition,
  ): FollowedItem {
    const { record: newest, growth, opening, upTo, isPlain } = at;
    const seq = this.#at.seq + 1;
    const position = { seq, record: newest, growth, opening, upTo, isPlain };
    this.#at = position;
    const started = this.#started.get(from) ?? because;
    if (record.kind === "commit")
      for (const { type, id } of record.effects) if (type === "effect.started") this.#started.set(id, seq);
    const event = {
      seq,
      taskId: this.#channel.taskId,
      record,
      from,
      ...(started !== undefined && { because: started }),
      ...(!isDurable && { durable: false as const }),
      ...inspection,
    };
    return { type: "event", event, position };
  }

  *#pause(isOpen: boolean): Generator<FollowedItem, true> {
    if (!this.#wasLive) {
      this.#wasLive = true;
      yield { type: "live" };
    }
    yield { type: "pause", isOpen };
    return true;
  }
}

/** The reader's `seq` of record `because`, for a reader that started at a position and is `shift` ahead. */
function shifted(
  { seq, record, upTo, isPlain }: ReaderPosition,
  because: number | undefined,
  shift: number,
): number | undefined {
  if (because === undefined) return undefined;
  if (because > record) return because + shift;
  return seq === record || (isPlain && because <= upTo) ? because : undefined;
}

/** A journal that is read, as far as it was read. */
class Reading {
  readonly records: GrowingRecords;
  tracer: Tracer;
  journal = new JournalState();
  readonly #taskId: string;

  constructor({ taskId, growing }: Channel) {
    this.records = growing();
    this.tracer = new Tracer(taskId);
    this.#taskId = taskId;
  }

  /** Begin again: the records come from the header on. */
  restart(): void {
    this.tracer = new Tracer(this.#taskId);
    this.journal = new JournalState();
  }
}

/** The last message and the state after the records so far. */
class JournalState {
  readonly message = new LastMessage();
  state: LatestRecord = { seq: -1, at: 0, state: "no_task" };

  apply(record: JournalRecord): void {
    const { seq } = record;
    if (record.kind === "header") this.state = { seq, at: record.createdAt, state: "no_task" };
    else if (record.kind === "commit") {
      this.message.apply(record.log);
      this.state = { seq, at: record.at, state: record.after };
    } else this.state = { ...this.state, seq };
  }
}
