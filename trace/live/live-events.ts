import { randomBytes } from "node:crypto";
import type { Task, TaskCommit } from "../../runtime/index.ts";
import type { CommitRecord, JournalRecord } from "../../wire/index.ts";
import { JOURNAL, senderOf, TASK, USER } from "../sender.ts";
import type { Microstep } from "../trace-event.ts";
import type { Bell } from "./bell.ts";
import { type Amendment, LastRow } from "./last-row.ts";
import { isGrowing, isGrowth, LiveRecords } from "./live-record.ts";
import { MicrostepWatch } from "./microsteps.ts";
import { Ring } from "./ring.ts";
import { isBehind, type Mark, type Spot } from "./spot.ts";
import type { Standing } from "./standing.ts";

/** One event as it is kept for those who follow. */
export interface Kept extends Spot {
  /** How many records stand between the event before and this one that were never shown: ends of effects. */
  readonly hidden: number;
  readonly from: string;
  readonly because: Mark | undefined;
  readonly isDurable: boolean;
  readonly commit: CommitRecord;
  readonly microsteps: readonly Microstep[] | undefined;
}

/** Where a reader comes in that was told the journal's records up to there, and what it lacks. */
export interface Entrance {
  readonly spot: Spot;
  /** How the last row stands, where it has text that no journal has yet. */
  readonly missing?: Amendment;
  readonly standing: Standing;
}

/** What a task's openings share: its channel. */
export interface LiveSource {
  readonly records: () => AsyncIterable<JournalRecord>;
  readonly bell: Bell;
}

export interface LiveEventsOptions {
  /** Events that are kept. */
  readonly events: number;
  /** What they may weigh together; the newest is kept however heavy. Default: anything. */
  readonly weight?: {
    readonly max: number;
    readonly of: (event: Pick<Kept, "commit" | "microsteps">) => number;
  };
  /** The time of commits that nothing brought about, at first. */
  readonly now: number;
  /** Told how many fell out, each time. */
  readonly onFallen?: (count: number) => void;
}

/** Senders that nobody starts. */
const UNSTARTED: ReadonlySet<string> = new Set([USER, JOURNAL, TASK]);

/** How the ids of tools that run begin: only their ends are recorded by themselves. */
const TOOL = "tool:";

const NOTHING_STARTED: ReadonlyMap<string, Mark> = new Map();

/**
 * The newest events of a task that is open, for any number of readers, each of which reads on by itself. It is bounded:
 * what falls out is read from the journal again, but for growth, which is in none; in its stead there is the row as it
 * stood.
 */
export class LiveEvents {
  /** Names this opening. */
  readonly opening = randomBytes(4).toString("hex");
  readonly #task: Task;
  readonly #source: LiveSource;
  readonly #options: LiveEventsOptions;
  readonly #records: LiveRecords;
  readonly #ring: Ring<Kept>;
  /** The last event that fell out or, at first, the one before the first that was seen. */
  #before: Spot | undefined;
  /** The newest record before the first event that was seen. */
  #past: number | undefined;
  #newest: Spot | undefined;
  /** After the event {@link #before}. */
  readonly #row: LastRow;
  #standing: Standing;
  readonly #started = new Map<string, Mark>();
  /** Who was started before the first event that was seen, once that was read. */
  #startedBefore: ReadonlyMap<string, Mark> | undefined;
  #watch: MicrostepWatch | undefined;
  #unwatch = (): void => {};
  readonly #shown: { unsubscribe(): void };
  /** Tools that were stopped and whose end was not recorded before a commit that was shown. */
  #ending = 0;
  #isOver = false;

  constructor(task: Task, source: LiveSource, options: LiveEventsOptions) {
    const { events, weight, now } = options;
    this.#task = task;
    this.#source = source;
    this.#options = options;
    this.#ring = new Ring<Kept>(events, weight?.max ?? Number.POSITIVE_INFINITY, weight?.of ?? (() => 0));
    this.#records = new LiveRecords(task.log, now);
    const row = task.log.at(-1);
    this.#row = new LastRow(row, row !== undefined && isGrowing(row));
    this.#standing = { seq: 0, at: now, state: task.state.state };
    this.#shown = task.events$.subscribe({ next: (shown) => this.#add(shown), complete: () => this.#end() });
  }

  /** The task was closed. What is kept stays. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether the journal may have ends of effects behind the newest event. */
  get isEnding(): boolean {
    return this.#ending > 0;
  }

  /** The event before the first that is kept; undefined until one was seen. */
  get before(): Spot | undefined {
    return this.#before;
  }

  /** Sees nothing more, and observes nothing. */
  stop(): void {
    this.#shown.unsubscribe();
    this.uninspect();
  }

  /** Gathers the microsteps of what comes from now on. Until then, nothing observes XState. */
  inspect(): void {
    if (this.#watch !== undefined) return;
    this.#watch = new MicrostepWatch();
    this.#unwatch = this.#task.inspect(this.#watch.observe);
  }

  uninspect(): void {
    this.#unwatch();
    this.#watch = undefined;
  }

  /** Whether nothing is lost of what came after this one. */
  reaches(spot: Pick<Spot, "record" | "growth">): boolean {
    return this.#before === undefined || !isBehind(spot, this.#before);
  }

  /** The first event after this one. */
  after(spot: Pick<Spot, "record" | "growth">): Kept | undefined {
    return this.#ring.first((kept) => isBehind(spot, kept));
  }

  /** Lets go of what is up to this one. */
  release(spot: Pick<Spot, "record" | "growth">): void {
    this.#forget(this.#ring.release((kept) => !isBehind(spot, kept)));
  }

  /** Where a reader comes in that was told the journal up to this record, which is reached. */
  entrance(record: number): Entrance {
    const before = this.#before ?? { record, growth: 0, place: record };
    let spot: Spot = before.record === record ? before : { record, growth: 0, place: record };
    const row = this.#row.copy();
    let { state, at } = this.#standing;
    for (const kept of this.#ring.items()) {
      if (isBehind(spot, kept)) break;
      row.take(kept.commit.log);
      spot = kept;
      ({ after: state, at } = kept.commit);
    }
    const { missing } = row;
    return { spot, standing: { seq: record, at, state }, ...(missing !== undefined && { missing }) };
  }

  /** Where this event's sender was started; of one that was before the first event, as far as {@link readStarts} has read. */
  startOf({ from, because }: Pick<Kept, "from" | "because">): Mark | undefined {
    return because ?? (UNSTARTED.has(from) ? undefined : this.#startedBefore?.get(from));
  }

  /** The same of a sender whose end is in the journal alone. */
  startOfSender(from: string): Mark | undefined {
    return this.#started.get(from) ?? this.#startedBefore?.get(from);
  }

  /** Whether only the journal tells where this one was started. */
  isUnread(from: string): boolean {
    return this.#startedBefore === undefined && !UNSTARTED.has(from) && !this.#started.has(from);
  }

  /** Reads who was started before the first event that was seen. */
  async readStarts(): Promise<void> {
    const started = new Map<string, Mark>();
    const until = this.#past ?? Number.POSITIVE_INFINITY;
    for await (const record of this.#source.records()) {
      if (record.seq > until) break;
      if (record.kind !== "commit") continue;
      for (const { type, id } of record.effects)
        if (type === "effect.started") started.set(id, { record: record.seq, place: record.seq });
    }
    this.#startedBefore = started;
  }

  #add(shown: TaskCommit): void {
    const { commit, seq, durable } = shown;
    const spot = this.#spotOf(shown);
    this.#before ??= { record: spot.growth === 0 ? seq - 1 : seq, growth: 0, place: spot.place - 1 };
    this.#past ??= this.#before.record;
    // A task that begins has nobody at work.
    if (this.#past <= 0) this.#startedBefore ??= NOTHING_STARTED;
    const record = this.#records.of(shown);
    const from = senderOf(record);
    const because = this.#started.get(from);
    const hidden = durable && this.#newest !== undefined ? spot.place - this.#newest.place - 1 : 0;
    this.#ending = Math.max(0, this.#ending - hidden);
    for (const { type, id } of commit.effects) {
      if (type === "effect.started") this.#started.set(id, spot);
      // One that says itself that it is done has no end to come.
      else if (id.startsWith(TOOL) && id !== from) this.#ending += 1;
    }
    const { growth, place } = spot;
    const fallen = this.#ring.add({
      record: spot.record,
      growth,
      place,
      hidden,
      from,
      because,
      isDurable: durable,
      commit: record,
      microsteps: this.#watch?.of(shown.snapshot),
    });
    this.#newest = spot;
    this.#forget(fallen);
    if (fallen.length > 0) this.#options.onFallen?.(fallen.length);
    this.#source.bell.ring();
  }

  #forget(gone: readonly Kept[]): void {
    for (const kept of gone) {
      const { seq, at, after, log } = kept.commit;
      this.#row.take(log);
      this.#standing = { seq, at, state: after };
      this.#before = kept;
    }
  }

  /** Growth is not recorded: it is counted behind the newest record. A record that is not shown takes its place, too. */
  #spotOf(shown: TaskCommit): Spot {
    const { seq, durable } = shown;
    const newest = this.#newest;
    if (newest === undefined)
      return isGrowth(shown)
        ? { record: seq, growth: 1, place: seq + 1 }
        : { record: seq, growth: 0, place: seq };
    if (seq === newest.record) return { record: seq, growth: newest.growth + 1, place: newest.place + 1 };
    // What is shown before it is durable sums up all records that wait.
    return { record: seq, growth: 0, place: newest.place + (durable ? seq - newest.record : 1) };
  }

  #end(): void {
    this.#isOver = true;
    this.uninspect();
    this.#source.bell.ring();
  }
}
