import { randomBytes } from "node:crypto";
import { type Clock, type JournalDriver, readJournal } from "../../actors/index.ts";
import type { Task, TaskCommit } from "../../client/index.ts";
import { type LogEvent, positionOf } from "../../machines/message/index.ts";
import { JOURNAL, senderOf, TASK, USER } from "../../trace/index.ts";
import type { ServerBounds } from "../bounds.ts";
import type { Bell } from "./bell.ts";
import { LastRow } from "./last-row.ts";
import { recordOf, type Standing } from "./record.ts";
import { Ring } from "./ring.ts";
import { isBehind, type Mark, type Spot } from "./spot.ts";

/** One event as it is kept for the streams. */
export interface Kept extends Spot {
  /** How many records stand between the event before and this one that were never shown: ends of effects. */
  readonly hidden: number;
  readonly from: string;
  readonly because?: Mark;
  readonly isDurable: boolean;
  /** Its record as JSON. */
  readonly json: string;
  /** What it changes in the log, and where the task stands after it. */
  readonly log: readonly LogEvent[];
  readonly standing: Standing;
}

/** Where a stream comes in that was told the journal's records up to there, and what it lacks. */
export interface Entrance {
  readonly spot: Spot;
  /** How the last row stands, where it has text that no journal has yet. */
  readonly missing?: LogEvent;
  readonly standing: Standing;
}

export interface LiveTraceOptions {
  readonly clock: Clock;
  readonly bounds: Pick<ServerBounds, "liveEvents" | "liveChars">;
  /** Rung for each event, and at the end. */
  readonly bell: Bell;
  readonly journal: Pick<JournalDriver, "path" | "read">;
}

/** Senders that nobody starts. */
const UNSTARTED: ReadonlySet<string> = new Set([USER, JOURNAL, TASK]);

/**
 * The newest events of a task that is open, for any number of streams, each of which reads on by itself. It is bounded:
 * what falls out is read from the journal again, but for growth, which is in none; in its stead there is the row as it
 * stood.
 */
export class LiveTrace {
  /** Names this opening. */
  readonly opening = randomBytes(4).toString("hex");
  readonly #options: LiveTraceOptions;
  readonly #ring: Ring<Kept>;
  /** The last event that fell out or, at first, the one before the first that was seen. */
  #before: Spot | undefined;
  #newest: Spot | undefined;
  /** After the event {@link #before}. */
  readonly #row: LastRow;
  #standing: Standing;
  readonly #started = new Map<string, Mark>();
  #startedBefore: Promise<ReadonlyMap<string, Mark>> | undefined;
  #isOver = false;

  constructor(task: Task, options: LiveTraceOptions) {
    const { clock, bounds } = options;
    this.#options = options;
    this.#ring = new Ring(bounds.liveEvents, bounds.liveChars, ({ json }) => json.length);
    const row = task.log.at(-1);
    this.#row = new LastRow(row, row?.partial === true || row?.ask === "command_output");
    this.#standing = { seq: 0, at: clock.now(), state: task.state.state };
    task.events$.subscribe({ next: (shown) => this.#add(shown), complete: () => this.#end() });
  }

  /** The task was closed. What is kept stays. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The event before the first that is kept; undefined until one was seen. */
  get before(): Spot | undefined {
    return this.#before;
  }

  /** Whether nothing is lost of what came after this one. */
  reaches(spot: Pick<Spot, "record" | "growth">): boolean {
    return this.#before === undefined || !isBehind(spot, this.#before);
  }

  /** The first event after this one. */
  after(spot: Pick<Spot, "record" | "growth">): Kept | undefined {
    return this.#ring.first((kept) => isBehind(spot, kept));
  }

  /** Where a stream comes in that was told the journal up to this record, which is reached. */
  entrance(record: number): Entrance {
    const before = this.#before ?? { record, growth: 0, place: record };
    let spot: Spot = before.record === record ? before : { record, growth: 0, place: record };
    const row = this.#row.copy();
    let { state, at } = this.#standing;
    for (const kept of this.#ring.items()) {
      if (isBehind(spot, kept)) break;
      row.take(kept.log);
      spot = kept;
      ({ state, at } = kept.standing);
    }
    const { missing } = row;
    return { spot, standing: { seq: record, at, state }, ...(missing !== undefined && { missing }) };
  }

  /** Where this event's sender was started, also before this opening. */
  async startOf({ from, because }: Pick<Kept, "from" | "because">): Promise<Mark | undefined> {
    if (because !== undefined || UNSTARTED.has(from)) return because;
    this.#startedBefore ??= this.#readStarted();
    return (await this.#startedBefore).get(from);
  }

  /** The same of a sender whose end is in the journal alone. */
  async startOfSender(from: string): Promise<Mark | undefined> {
    const because = this.#started.get(from);
    return this.startOf({ from, ...(because !== undefined && { because }) });
  }

  #add(shown: TaskCommit): void {
    const { commit, seq, durable } = shown;
    const spot = this.#spotOf(shown);
    const hidden = durable && this.#newest !== undefined ? spot.place - this.#newest.place - 1 : 0;
    this.#before ??= {
      ...(spot.growth === 0 ? { record: seq - 1, growth: 0 } : { record: seq, growth: 0 }),
      place: spot.place - 1,
    };
    this.#newest = spot;
    const record = recordOf(shown, this.#options.clock.now());
    const from = fromOf(commit);
    const because = this.#started.get(from);
    for (const { type, id } of commit.effects) if (type === "effect.started") this.#started.set(id, spot);
    const fallen = this.#ring.add({
      ...spot,
      hidden,
      from,
      ...(because !== undefined && { because }),
      isDurable: durable,
      json: JSON.stringify(record),
      log: commit.log,
      standing: { seq, at: commit.cause?.at ?? this.#standing.at, state: commit.after },
    });
    for (const kept of fallen) {
      this.#row.take(kept.log);
      this.#standing = kept.standing;
      this.#before = kept;
    }
    this.#options.bell.ring();
  }

  /** Growth is not recorded: it is counted behind the newest record. A record that is not shown takes its place, too. */
  #spotOf(shown: TaskCommit): Spot {
    const { seq, durable } = shown;
    const newest = this.#newest;
    if (newest === undefined)
      return isRecorded(shown)
        ? { record: seq, growth: 0, place: seq }
        : { record: seq, growth: 1, place: seq + 1 };
    if (seq === newest.record) return { record: seq, growth: newest.growth + 1, place: newest.place + 1 };
    // What is shown before it is durable sums up all records that wait.
    return { record: seq, growth: 0, place: newest.place + (durable ? seq - newest.record : 1) };
  }

  #end(): void {
    this.#isOver = true;
    this.#options.bell.ring();
  }

  /** The senders that were started before the first event that was seen. */
  async #readStarted(): Promise<ReadonlyMap<string, Mark>> {
    const started = new Map<string, Mark>();
    const until = this.#ring.items().next().value?.record;
    for await (const record of readJournal(this.#options.journal, { onTail: () => undefined })) {
      if (until !== undefined && record.seq >= until) break;
      if (record.kind !== "commit") continue;
      for (const { type, id } of record.effects)
        if (type === "effect.started") started.set(id, { record: record.seq, place: record.seq });
    }
    return started;
  }
}

/** Whether it is in the journal: all but the growth of a row, and the previews of one that stays partial, is. */
function isRecorded({ commit, snapshot }: TaskCommit): boolean {
  const { log, conversation, decisions, queue, turnEnded, calls, facts, effects, reports } = commit;
  const lists = conversation.length + decisions.length + calls.length + effects.length + reports.length;
  if (lists > 0 || turnEnded || queue !== undefined || facts !== undefined) return true;
  const rows = snapshot.context.log;
  return log.some((event) => {
    if (event.type === "message.grown") return false;
    return event.type !== "message.amended" || rows.at(positionOf(rows, event.ts))?.partial !== true;
  });
}

function fromOf({ cause }: TaskCommit["commit"]): string {
  if (cause === undefined) return TASK;
  const { type, at } = cause;
  return senderOf({
    cause: {
      type,
      at,
      ...("callId" in cause && { callId: cause.callId }),
      ...("askId" in cause && { askId: cause.askId }),
    },
  });
}
