import type { JournalRecord } from "../../wire/index.ts";
import { TraceError } from "../recording/index.ts";
import type { Microstep, TraceEvent } from "../trace-event.ts";
import { Tracer } from "../tracer.ts";
import type { Channel } from "./channel.ts";
import { LastRow } from "./last-row.ts";
import type { Kept, LiveEvents } from "./live-events.ts";
import { BEGINNING, NO_OPENING, type Position } from "./position.ts";
import type { Mark } from "./spot.ts";
import { rowAsItStands, type Standing } from "./standing.ts";
import type { Waiter } from "./waiter.ts";

/** What a reader is told next. */
export type Told =
  | { readonly type: "event"; readonly event: TraceEvent; readonly position: Position }
  /** All that had happened is told. Once. */
  | { readonly type: "live" }
  /** Nothing more for now: what was told before may be passed on. */
  | { readonly type: "pause"; readonly isOpen: boolean }
  /** It was live and has come so far behind that something is no longer kept. */
  | { readonly type: "behind" };

export interface FollowOptions {
  /** Where the reader is. Default: at the beginning. */
  readonly at?: Position | undefined;
  /** Adds the microsteps of what comes from now on. Default false: then nothing observes XState. */
  readonly microsteps?: boolean;
  /** What a reader that falls behind does: it leaves, or it reads again what the journal has. Default `leave`. */
  readonly whenBehind?: "leave" | "read";
}

/** An event, but for its place. */
interface Telling {
  readonly record: JournalRecord;
  readonly from: string;
  readonly because?: number | undefined;
  readonly isDurable?: boolean;
  readonly microsteps?: readonly Microstep[] | undefined;
}

/**
 * Tells one reader a task's events, in order, from where it was: each once, in a count of its own without a gap. It goes
 * on over the ends and the beginnings of the task's openings, for as long as its waiter is there.
 */
export class Follower {
  readonly #channel: Channel;
  readonly #waiter: Waiter;
  readonly #options: FollowOptions;
  #at: Position;
  /** The opening that it reads; none where it reads the journal. */
  #live: LiveEvents | undefined;
  #wasLive = false;
  /** Whether the place that the reader named is known to be there. */
  #isFound: boolean;
  /** Whether it was told the last row as it stood before the first event of the opening. */
  #isRowTold = false;
  /** Where senders were started, in the reader's count, as far as this has told it. */
  readonly #started = new Map<string, number>();

  constructor(channel: Channel, waiter: Waiter, options: FollowOptions = {}) {
    const { at = BEGINNING } = options;
    this.#channel = channel;
    this.#waiter = waiter;
    this.#options = options;
    this.#at = at;
    if (channel.live?.opening === at.opening) this.#live = channel.live;
    this.#isFound = at === BEGINNING || this.#live !== undefined;
  }

  /**
   * @throws TraceError `TRACE_POSITION` for a place that the task's journal does not reach
   * @throws what reading the records throws
   */
  async *told(): AsyncGenerator<Told, void> {
    const unlisten = this.#channel.bell.onRing(this.#waiter.call);
    const uninspect = this.#options.microsteps === true ? this.#channel.inspect() : () => {};
    try {
      while (!this.#waiter.isGone) {
        const live = this.#live ?? this.#channel.live;
        if (live === undefined) yield* this.#readToEnd();
        else if (live !== this.#live) yield* this.#join(live);
        else if (!live.reaches(this.#at)) {
          if (this.#isLetGo) return yield { type: "behind" };
          // What closes a row that has grown carries all of it: growth that was missed needs no mending.
          this.#leave({ ...this.#at, growth: 0 });
        } else {
          const ready = this.#ready(live);
          if (ready === undefined) yield* this.#tellMore(live);
          else yield ready;
        }
      }
    } finally {
      uninspect();
      unlisten();
    }
  }

  /** Of a task that is not open. */
  async *#readToEnd(): AsyncGenerator<Told, void> {
    yield* this.#readJournal();
    if (this.#channel.live === undefined) yield* this.#wait(false);
  }

  /** Reads what comes before the kept events, then goes over to them. */
  async *#join(live: LiveEvents): AsyncGenerator<Told, void> {
    const start = this.#at;
    const isMissing = live.before === undefined || start.record < live.before.record || start.growth > 0;
    if (isMissing || !this.#isFound) {
      const past = yield* this.#readJournal(live);
      if (live.before === undefined) yield* this.#tellRow(live, past);
    }
    const { before } = live;
    if (before !== undefined && this.#at.record >= before.record) yield* this.#enter(live);
    // The journal has no more, or nothing has happened yet. Else more fell out meanwhile, and is read next.
    else if (before === undefined || this.#at === start) yield* this.#wait(true);
  }

  /** A row that streamed before the opening was followed has grown since it was recorded. */
  async *#tellRow(live: LiveEvents, { row, standing }: Past): AsyncGenerator<Told, void> {
    const { standing: present, missing } = live.entrance(this.#at.record);
    if (this.#isRowTold || missing === undefined || row.ts !== missing.ts) return;
    this.#isRowTold = true;
    const record = rowAsItStands(missing, { ...present, at: standing.at });
    yield this.#tell({ record, from: "task" }, this.#at);
  }

  async *#enter(live: LiveEvents): AsyncGenerator<Told, void> {
    const { place, record } = this.#at;
    const { spot, missing, standing } = live.entrance(record);
    this.#live = live;
    this.#at = {
      place,
      record,
      growth: spot.growth,
      opening: live.opening,
      upTo: record,
      isPlain: place === record,
    };
    if (missing !== undefined && !this.#isRowTold)
      yield this.#tell({ record: rowAsItStands(missing, standing), from: "task" }, this.#at);
  }

  #leave(at: Position): void {
    this.#live = undefined;
    this.#isRowTold = false;
    this.#at = { ...at, opening: NO_OPENING };
  }

  get #isLetGo(): boolean {
    return this.#wasLive && this.#options.whenBehind !== "read";
  }

  /** The next event, if it can be told without a look at the journal. */
  #ready(live: LiveEvents): Told | undefined {
    const next = live.after(this.#at);
    if (next === undefined || next.hidden > 0 || live.isUnread(next.from)) return undefined;
    return this.#tellKept(live, next);
  }

  async *#tellMore(live: LiveEvents): AsyncGenerator<Told, void> {
    const kept = live.after(this.#at);
    if (kept === undefined) {
      if (!live.isOver) yield* this.#wait(true);
      else {
        this.#leave(this.#at);
        // Then the journal has no more than was told.
        if (!live.isEnding && this.#channel.live === undefined) yield* this.#wait(false);
      }
      return;
    }
    if (live.isUnread(kept.from)) await live.readStarts();
    if (kept.hidden > 0) yield* this.#tellHidden(live, kept);
    yield this.#tellKept(live, kept);
  }

  #tellKept(live: LiveEvents, kept: Kept): Told {
    const { record, growth, from, isDurable, microsteps } = kept;
    const because = this.#placeOf(live.startOf(kept), kept.place);
    const { place, opening, upTo, isPlain } = this.#at;
    const isAsked = this.#options.microsteps === true;
    return this.#tell(
      { record: kept.commit, from, because, isDurable, microsteps: isAsked ? microsteps : undefined },
      { place, record, growth, opening, upTo, isPlain },
    );
  }

  /** The ends of effects that were recorded before this event and not shown. */
  async *#tellHidden(live: LiveEvents, { record: next, place }: Kept): AsyncGenerator<Told, void> {
    const tracer = new Tracer(this.#channel.taskId);
    for await (const record of this.#channel.records()) {
      if (record.seq >= next) break;
      const { from } = tracer.add(record);
      if (record.seq <= this.#at.record) continue;
      if (live.isUnread(from)) await live.readStarts();
      const because = this.#placeOf(live.startOfSender(from), place - (next - record.seq));
      yield this.#tell({ record, from, because }, { ...this.#at, record: record.seq, growth: 0 });
    }
  }

  /** An event of this opening in the reader's count, as it is about to be told the one at `place`. */
  #placeOf(mark: Mark | undefined, place: number): number | undefined {
    if (mark === undefined) return undefined;
    const { upTo, isPlain } = this.#at;
    if (mark.record <= upTo) return isPlain ? mark.record : undefined;
    return mark.place - (place - (this.#at.place + 1));
  }

  /**
   * Tells what the journal has behind where the reader is: all, or up to where `live` begins, also if it begins only
   * meanwhile. Gives what the reader was told of the journal by then.
   */
  async *#readJournal(live?: LiveEvents): AsyncGenerator<Told, Past> {
    const { taskId, records } = this.#channel;
    const start = this.#at;
    const tracer = new Tracer(taskId);
    const past = new Past();
    let isMended = start.growth === 0;
    for await (const record of records()) {
      const until = live?.before?.record ?? Number.POSITIVE_INFINITY;
      if (this.#waiter.isGone || record.seq > Math.max(until, start.record)) break;
      const { from, because } = tracer.add(record);
      if (record.seq > start.record) {
        if (!isMended) yield* this.#mend(past);
        isMended = true;
        this.#isRowTold = false;
        const place = this.#at.place + 1;
        const at = {
          ...this.#at,
          record: record.seq,
          growth: 0,
          ...(place === record.seq && { upTo: place }),
        };
        yield this.#tell({ record, from, because: placeIn(start, because, place - record.seq) }, at);
      }
      past.take(record);
    }
    if (!isMended) yield* this.#mend(past);
    if (!this.#waiter.isGone) this.#expectFound(past, start);
    return past;
  }

  /** Growth of an opening that is over was never recorded: the row is again as its records tell. */
  async *#mend({ row, standing }: Past): AsyncGenerator<Told, void> {
    const { amendment } = row;
    const at = { ...this.#at, growth: 0 };
    if (amendment === undefined) this.#at = at;
    else yield this.#tell({ record: rowAsItStands(amendment, standing), from: "task" }, at);
  }

  #expectFound({ standing }: Past, start: Position): void {
    if (!this.#isFound && standing.seq < start.record)
      throw new TraceError(
        "TRACE_POSITION",
        `The trace of task ${this.#channel.taskId} has no record ${start.record}: its newest is ${standing.seq}. Forget what was told, and read it from its first event on.`,
      );
    this.#isFound = true;
  }

  #tell({ record, from, because, isDurable = true, microsteps }: Telling, at: Position): Told {
    const { record: newest, growth, opening, upTo, isPlain } = at;
    const seq = this.#at.place + 1;
    const position = { place: seq, record: newest, growth, opening, upTo, isPlain };
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
      ...(microsteps !== undefined && { microsteps }),
    };
    return { type: "event", event, position };
  }

  async *#wait(isOpen: boolean): AsyncGenerator<Told, void> {
    if (!this.#wasLive) {
      this.#wasLive = true;
      yield { type: "live" };
    }
    yield { type: "pause", isOpen };
    await this.#waiter.called();
  }
}

/** A record in the count of a reader that has come to `start` and is told the journal, which lies so far off its count. */
function placeIn(
  { place, record, upTo, isPlain }: Position,
  because: number | undefined,
  shift: number,
): number | undefined {
  if (because === undefined) return undefined;
  if (because > record) return because + shift;
  return place === record || (isPlain && because <= upTo) ? because : undefined;
}

/** What the reader was told of the journal: the last row, and where the task stands. */
class Past {
  readonly row = new LastRow();
  standing: Standing = { seq: -1, at: 0, state: "no_task" };

  take(record: JournalRecord): void {
    const { seq } = record;
    if (record.kind === "header") this.standing = { seq, at: record.createdAt, state: "no_task" };
    else if (record.kind === "effect.end") this.standing = { ...this.standing, seq };
    else {
      this.row.take(record.log);
      this.standing = { seq, at: record.at, state: record.after };
    }
  }
}
