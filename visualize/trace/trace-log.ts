import { isAskType } from "../../machines/message/asks.ts";
import { type AgentStateInfo, detectAgentState } from "../../machines/message/detect.ts";
import type { Log } from "../../machines/message/log.ts";
import { emptyRecordedState } from "../../machines/task/commit.ts";
import type { RecordedState } from "../../machines/task/task.context.ts";
import { applyRecord } from "../../wire/journal/apply-record.ts";
import type { CommitRecord } from "../../wire/journal/record.ts";
import type { Moment, TraceReader } from "./moment.ts";
import type { TraceEvent } from "./trace-event.ts";

/** Events between two kept states: at most so many are folded to read any other. */
const KEPT_EVERY = 64;

/** The state that is folded from event to event. */
interface Fold {
  readonly state: string;
  readonly memory: RecordedState;
  readonly actors: ReadonlyMap<string, number>;
}

const EMPTY: Fold = { state: "no_task", memory: emptyRecordedState, actors: new Map() };

/**
 * A trace in memory: events are appended at its end, and it is read at any event. The versions of a log share their
 * messages, so kept states are small.
 *
 * @example
 * ```ts
 * import { TraceLog, Tracer } from "signalbox/trace";
 * const log = new TraceLog("t1");
 * log.append(new Tracer("t1").add({ seq: 0, kind: "header", version: 2, taskId: "t1", createdAt: 0 }));
 * console.log(log.moment(0).state, log.moment(0).rule); // no_task R0
 * ```
 */
export class TraceLog implements TraceReader {
  readonly taskId: string;
  readonly #events: TraceEvent[] = [];
  /** The fold after the first event, and after each {@link KEPT_EVERY}th that follows. */
  readonly #kept: Fold[] = [];
  #last: Fold = EMPTY;
  /** The fold that was read last: reading the next event folds one event. */
  #cursor: { readonly seq: number; readonly fold: Fold } | undefined;

  constructor(taskId: string, events: Iterable<TraceEvent> = []) {
    this.taskId = taskId;
    for (const event of events) this.append(event);
  }

  get length(): number {
    return this.#events.length;
  }

  /** @throws RangeError if the event's `seq` is not the next */
  append(event: TraceEvent): void {
    if (event.seq !== this.#events.length)
      throw new RangeError(`Expected event ${this.#events.length} of this trace, got ${event.seq}.`);
    this.#events.push(event);
    this.#last = folded(this.#last, event);
    if (event.seq % KEPT_EVERY === 0) this.#kept.push(this.#last);
  }

  event(seq: number): TraceEvent {
    const event = this.#events[seq];
    if (event === undefined)
      throw new RangeError(
        `Expected an event from 0 to ${this.#events.length - 1} of this trace, got ${seq}.`,
      );
    return event;
  }

  moment(seq: number): Moment {
    const event = this.event(seq);
    const fold = this.#foldAt(seq);
    this.#cursor = { seq, fold };
    const { log } = fold.memory;
    const derived = detectAgentState(log);
    return { event, ...fold, derived, rule: ruleOf(log, derived) };
  }

  #foldAt(seq: number): Fold {
    if (seq === this.#events.length - 1) return this.#last;
    const kept = Math.floor(seq / KEPT_EVERY);
    const cursor = this.#cursor ?? { seq: -1, fold: EMPTY };
    const isNear = cursor.seq <= seq && cursor.seq >= kept * KEPT_EVERY;
    let fold = isNear ? cursor.fold : (this.#kept[kept] ?? EMPTY);
    for (let at = (isNear ? cursor.seq : kept * KEPT_EVERY) + 1; at <= seq; at += 1)
      fold = folded(fold, this.event(at));
    return fold;
  }
}

function folded({ state, memory, actors }: Fold, { record, seq }: TraceEvent): Fold {
  const next = applyRecord(memory, record);
  if (record.kind !== "commit") return { state, memory: next, actors };
  // The process of the actors has ended when a task is opened again.
  const before = record.cause?.type === "task.recovered" ? EMPTY.actors : actors;
  return { state: record.after, memory: next, actors: actorsAfter(before, record.effects, seq) };
}

function actorsAfter(actors: Fold["actors"], effects: CommitRecord["effects"], seq: number): Fold["actors"] {
  if (effects.length === 0) return actors;
  const next = new Map(actors);
  for (const { type, id } of effects) {
    if (type === "effect.started") next.set(id, seq);
    else next.delete(id);
  }
  return next;
}

/** The first rule of derivation, R0 to R4, that applies to this log. */
function ruleOf(log: Log, derived: AgentStateInfo): Moment["rule"] {
  const last = log.at(-1);
  if (last === undefined) return "R0";
  if (last.partial === true) return "R1";
  if (last.type === "ask" && isAskType(last.ask)) return "R2";
  return derived.isStreaming ? "R3" : "R4";
}
