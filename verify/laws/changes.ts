import { applyLogEvent, type ClineMessage, type Log, type LogEvent } from "../../machines/message/index.ts";
import type { EffectEvent, EffectKind, TaskEmitted } from "../../machines/task/index.ts";
import type { Step } from "./law.ts";

/** One change of the log within a macrostep, and the log that it met. */
export interface LogChange {
  readonly event: LogEvent;
  readonly before: Log;
  /** The row that the event names, as it was; of an append, the row that was last. */
  readonly row: ClineMessage | undefined;
  readonly isLast: boolean;
}

const isLogEvent = (piece: TaskEmitted): piece is LogEvent =>
  piece.type.startsWith("message.") || piece.type.startsWith("log.");

/** Several laws look at the changes of one step. */
const known = new WeakMap<Step, readonly LogChange[]>();

/** The log's changes in order, each with the log before it. */
export function changesOf(step: Step): readonly LogChange[] {
  const changes = known.get(step) ?? changesIn(step);
  known.set(step, changes);
  return changes;
}

function changesIn({ before, emitted }: Step): readonly LogChange[] {
  let log = before.context.log;
  return emitted.filter(isLogEvent).map((event) => {
    const met = log;
    log = applyLogEvent(log, event);
    const last = met.at(-1);
    if (!("ts" in event)) return { event, before: met, row: last, isLast: true };
    const row = last?.ts === event.ts ? last : met.toArray().find(({ ts }) => ts === event.ts);
    return { event, before: met, row, isLast: last?.ts === event.ts };
  });
}

/** The rows that the macrostep appended. */
export const appendedIn = ({ emitted }: Step): readonly ClineMessage[] =>
  emitted.flatMap((piece) => (piece.type === "message.appended" ? [piece.message] : []));

/** The ids of the edge actors of one kind that the macrostep started. */
export const startedIn = ({ emitted }: Step, kind: EffectKind): readonly string[] =>
  emitted.flatMap((piece) => (piece.type === "effect.started" && piece.effect === kind ? [piece.id] : []));

const isEffect = (piece: TaskEmitted): piece is EffectEvent =>
  piece.type === "effect.started" || piece.type === "effect.stopped";

/** Who is alive after a macrostep that emitted these pieces. */
export function aliveAfter(alive: ReadonlySet<string>, emitted: readonly TaskEmitted[]): ReadonlySet<string> {
  const effects = emitted.filter(isEffect);
  if (effects.length === 0) return alive;
  const next = new Set(alive);
  for (const { type, id } of effects) {
    if (type === "effect.started") next.add(id);
    else next.delete(id);
  }
  return next;
}

/** Whether the macrostep changed anything that a person, a model or an actor could notice. */
export const changedAnything = ({ before, after, emitted }: Step): boolean =>
  emitted.length > 0 ||
  before.state !== after.state ||
  before.context.log !== after.context.log ||
  before.context.turn !== after.context.turn ||
  before.context.queue !== after.context.queue ||
  before.context.pending !== after.context.pending ||
  before.context.mode !== after.context.mode ||
  before.context.conversation !== after.context.conversation;
