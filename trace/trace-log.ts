import { detectAgentState } from "../machines/message/index.ts";
import { emptyMemory, type Memory } from "../machines/task/index.ts";
import { rememberRecord } from "../wire/index.ts";
import type { Moment, TraceReader } from "./moment.ts";
import { ruleOf } from "./rule.ts";
import type { TraceEvent } from "./trace-event.ts";

/** Every so many events the whole moment is kept: so many are folded at most to read any other. */
const KEPT_EVERY = 64;

/** What is folded from event to event. */
interface Fold {
  readonly state: string;
  readonly memory: Memory;
  readonly actors: ReadonlyMap<string, number>;
}

const NOTHING: Fold = { state: "no_task", memory: emptyMemory, actors: new Map() };

/**
 * A trace in memory. It is appended to at its end, and read anywhere: the versions of a log share their rows, so that
 * what is kept in between costs little.
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
  #last: Fold = NOTHING;
  /** What was read last: stepping on from it folds one event. */
  #cursor: { readonly seq: number; readonly fold: Fold } | undefined;

  constructor(taskId: string, events: Iterable<TraceEvent> = []) {
    this.taskId = taskId;
    for (const event of events) this.append(event);
  }

  get length(): number {
    return this.#events.length;
  }

  /** @throws RangeError where the event's place is not the next */
  append(event: TraceEvent): void {
    if (event.seq !== this.#events.length)
      throw new RangeError(`The next event of this trace is ${this.#events.length}, not ${event.seq}.`);
    this.#events.push(event);
    this.#last = folded(this.#last, event);
    if (event.seq % KEPT_EVERY === 0) this.#kept.push(this.#last);
  }

  event(seq: number): TraceEvent {
    const event = this.#events[seq];
    if (event === undefined)
      throw new RangeError(`This trace has the places 0 to ${this.#events.length - 1}, and not ${seq}.`);
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
    const isNear =
      this.#cursor !== undefined && this.#cursor.seq <= seq && this.#cursor.seq >= kept * KEPT_EVERY;
    let at = isNear && this.#cursor !== undefined ? this.#cursor.seq : kept * KEPT_EVERY;
    let fold = (isNear ? this.#cursor?.fold : this.#kept[kept]) ?? NOTHING;
    while (at < seq) {
      at += 1;
      fold = folded(fold, this.event(at));
    }
    return fold;
  }
}

function folded({ state, memory, actors }: Fold, { record, seq }: TraceEvent): Fold {
  const next = rememberRecord(memory, record);
  if (record.kind !== "commit") return { state, memory: next, actors };
  // A task that is opened again begins with nobody at work: its process ended.
  const before = record.cause?.type === "task.recovered" ? NOTHING.actors : actors;
  return { state: record.after, memory: next, actors: atWork(before, record.effects, seq) };
}

type Effects = Extract<TraceEvent["record"], { kind: "commit" }>["effects"];

function atWork(
  actors: ReadonlyMap<string, number>,
  effects: Effects,
  seq: number,
): ReadonlyMap<string, number> {
  if (effects.length === 0) return actors;
  const next = new Map(actors);
  for (const { type, id } of effects) {
    if (type === "effect.started") next.set(id, seq);
    else next.delete(id);
  }
  return next;
}
