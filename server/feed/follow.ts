import { readJournal } from "../../actors/index.ts";
import { Tracer } from "../../trace/index.ts";
import type { JournalDraft } from "../../wire/index.ts";
import { ServerError } from "../error.ts";
import type { Sleeper } from "./bell.ts";
import type { Channel } from "./channel.ts";
import { LastRow } from "./last-row.ts";
import type { Kept, LiveTrace } from "./live-trace.ts";
import { BEGINNING, NO_OPENING, type Position, sayPosition } from "./position.ts";
import { rowAsItStands, type Standing } from "./record.ts";
import type { Mark } from "./spot.ts";

/** What a stream is told next. */
export type Told =
  | { readonly type: "event"; readonly id: string; readonly json: string }
  /** All that had happened is told. Once. */
  | { readonly type: "live" }
  /** Nothing more for now: what was told before may be passed on. */
  | { readonly type: "pause" }
  /** It was live and has come so far behind that something is no longer kept. */
  | { readonly type: "behind" };

/** An event as it is told, but for its place. */
interface Telling {
  /** Its record as JSON. */
  readonly json: string;
  readonly from: string;
  readonly because?: number | undefined;
  readonly isDurable?: boolean;
}

/**
 * Tells one client a task's events, in order, from where it was: each once, in a count of its own without a gap. It goes
 * on over the ends and the beginnings of the task's openings, for as long as its sleeper is there.
 */
export class Follower {
  readonly #channel: Channel;
  readonly #sleeper: Sleeper;
  #at: Position;
  /** The opening that it reads; none where it reads the journal. */
  #live: LiveTrace | undefined;
  #wasLive = false;
  /** Whether the place that the client named is known to be there. */
  #isFound: boolean;

  constructor(channel: Channel, sleeper: Sleeper, at: Position = BEGINNING) {
    this.#channel = channel;
    this.#sleeper = sleeper;
    this.#at = at;
    if (channel.live?.opening === at.opening) this.#live = channel.live;
    this.#isFound = at === BEGINNING || this.#live !== undefined;
  }

  /**
   * @throws ServerError `POSITION_INVALID` for a place that the task's journal does not reach
   * @throws JournalError those of reading
   */
  async *told(): AsyncGenerator<Told, void> {
    const unlisten = this.#channel.bell.onRing(this.#sleeper.call);
    try {
      while (!this.#sleeper.isGone) {
        const live = this.#live ?? this.#channel.live;
        if (live === undefined) yield* this.#readToEnd();
        else if (live !== this.#live) yield* this.#join(live);
        else if (live.reaches(this.#at)) yield* this.#readLive(live);
        else if (this.#wasLive) return yield { type: "behind" };
        // What closes a row that has grown carries all of it: growth that was missed needs no mending.
        else this.#leave({ ...this.#at, growth: 0 });
      }
    } finally {
      unlisten();
    }
  }

  /** Of a task that is not open. */
  async *#readToEnd(): AsyncGenerator<Told, void> {
    yield* this.#readJournal();
    if (this.#channel.live === undefined) yield* this.#wait();
  }

  async *#readLive(live: LiveTrace): AsyncGenerator<Told, void> {
    const next = live.after(this.#at);
    if (next !== undefined) yield* this.#tellKept(live, next);
    else if (live.isOver) this.#leave(this.#at);
    else yield* this.#wait();
  }

  /** Reads what comes before the kept events, then goes over to them. */
  async *#join(live: LiveTrace): AsyncGenerator<Told, void> {
    const start = this.#at;
    const until = live.before?.record;
    const isMissing = until === undefined || start.record < until || start.growth > 0;
    if (isMissing || !this.#isFound)
      yield* this.#readJournal(until === undefined ? undefined : Math.max(until, start.record));
    const { before } = live;
    if (before !== undefined && this.#at.record >= before.record) yield* this.#enter(live);
    // The journal has no more, or nothing has happened yet. Else more fell out meanwhile, and is read next.
    else if (before === undefined || this.#at === start) yield* this.#wait();
  }

  async *#enter(live: LiveTrace): AsyncGenerator<Told, void> {
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
    if (missing !== undefined) yield this.#tell(asItStands(rowAsItStands(missing, standing)), this.#at);
  }

  #leave(at: Position): void {
    this.#live = undefined;
    this.#at = { ...at, opening: NO_OPENING };
  }

  async *#tellKept(live: LiveTrace, kept: Kept): AsyncGenerator<Told, void> {
    if (kept.hidden > 0) yield* this.#tellHidden(live, kept);
    const { record, growth, json, from, isDurable } = kept;
    const because = this.#placeOf(await live.startOf(kept), kept.place);
    yield this.#tell({ json, from, because, isDurable }, { ...this.#at, record, growth });
  }

  /** The ends of effects that were recorded before this event and not shown. */
  async *#tellHidden(live: LiveTrace, { record: next, place }: Kept): AsyncGenerator<Told, void> {
    const tracer = new Tracer(this.#channel.taskId);
    for await (const record of readJournal(this.#channel.journal, { onTail: () => undefined })) {
      if (record.seq >= next) break;
      const { from } = tracer.add(record);
      if (record.seq <= this.#at.record) continue;
      const because = this.#placeOf(await live.startOfSender(from), place - (next - record.seq));
      const json = JSON.stringify(record);
      yield this.#tell({ json, from, because }, { ...this.#at, record: record.seq, growth: 0 });
    }
  }

  /** An event of this opening in the client's count, as it is about to be told the one at `place`. */
  #placeOf(mark: Mark | undefined, place: number): number | undefined {
    if (mark === undefined) return undefined;
    const { upTo, isPlain } = this.#at;
    if (mark.record <= upTo) return isPlain ? mark.record : undefined;
    return mark.place - (place - (this.#at.place + 1));
  }

  /** Tells what the journal has behind where the client is: all, or up to a record. */
  async *#readJournal(until = Number.POSITIVE_INFINITY): AsyncGenerator<Told, void> {
    const { taskId, journal } = this.#channel;
    const start = this.#at;
    const tracer = new Tracer(taskId);
    const past = new Past();
    let isMended = start.growth === 0;
    for await (const record of readJournal(journal, { onTail: () => undefined })) {
      if (this.#sleeper.isGone || record.seq > until) break;
      const { from, because } = tracer.add(record);
      if (record.seq <= start.record) {
        past.take(record);
        continue;
      }
      if (!isMended) yield* this.#mend(past);
      isMended = true;
      const place = this.#at.place + 1;
      const at = { ...this.#at, record: record.seq, growth: 0, ...(place === record.seq && { upTo: place }) };
      const json = JSON.stringify(record);
      yield this.#tell({ json, from, because: placeIn(start, because, place - record.seq) }, at);
    }
    if (!isMended) yield* this.#mend(past);
    if (!this.#sleeper.isGone) this.#expectFound(past, start);
  }

  /** Growth of an opening that is over was never recorded: the row is again as its records tell. */
  async *#mend({ row, standing }: Past): AsyncGenerator<Told, void> {
    const { amendment } = row;
    const at = { ...this.#at, growth: 0 };
    if (amendment === undefined) this.#at = at;
    else yield this.#tell(asItStands(rowAsItStands(amendment, standing)), at);
  }

  #expectFound({ standing }: Past, start: Position): void {
    if (!this.#isFound && standing.seq < start.record)
      throw new ServerError(
        "POSITION_INVALID",
        `The trace of task ${this.#channel.taskId} has no record ${start.record}: its newest is ${standing.seq}. Forget what was told, and read it from its first event on.`,
      );
    this.#isFound = true;
  }

  #tell({ json, from, because, isDurable = true }: Telling, at: Position): Told {
    const place = this.#at.place + 1;
    this.#at = { ...at, place };
    const task = JSON.stringify(this.#channel.taskId);
    const reason = because === undefined ? "" : `,"because":${because}`;
    const mark = isDurable ? "" : ',"durable":false';
    const text = `{"seq":${place},"taskId":${task},"record":${json},"from":${JSON.stringify(from)}${reason}${mark}}`;
    return { type: "event", id: sayPosition(this.#at), json: text };
  }

  async *#wait(): AsyncGenerator<Told, void> {
    if (!this.#wasLive) {
      this.#wasLive = true;
      yield { type: "live" };
    }
    yield { type: "pause" };
    await this.#sleeper.sleep();
  }
}

const asItStands = (record: JournalDraft): Telling => ({ json: JSON.stringify(record), from: "task" });

/** A record in the count of a client that has come to `start` and is told the journal, which lies so far off its count. */
function placeIn(
  { place, record, upTo, isPlain }: Position,
  because: number | undefined,
  shift: number,
): number | undefined {
  if (because === undefined) return undefined;
  if (because > record) return because + shift;
  return place === record || (isPlain && because <= upTo) ? because : undefined;
}

/** What the client was told of the journal: the last row, and where the task stands. */
class Past {
  readonly row = new LastRow();
  standing: Standing = { seq: -1, at: 0, state: "no_task" };

  take(record: JournalDraft): void {
    const { seq } = record;
    if (record.kind === "header") this.standing = { seq, at: record.createdAt, state: "no_task" };
    else if (record.kind === "effect.end") this.standing = { ...this.standing, seq };
    else {
      this.row.take(record.log ?? []);
      this.standing = { seq, at: record.at, state: record.after };
    }
  }
}
