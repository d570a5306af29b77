import { applyLogEvent, type ClineMessage, type Log, type LogEvent } from "../../machines/message/index.ts";
import type { EffectKind, TaskEmitted } from "../../machines/task/index.ts";
import type { Step } from "./law.ts";

/** One change of the log within a macrostep, and the log that it met. */
export interface LogChange {
  readonly event: LogEvent;
  readonly before: Log;
  readonly after: Log;
  /** The row that the event names, as it was; of an append, the row that was last. */
  readonly row: ClineMessage | undefined;
  readonly isLast: boolean;
  /** The positions of the rows that the event makes or changes. */
  readonly touched: readonly number[];
}

interface Start {
  readonly effect: EffectKind;
  readonly id: string;
}

/** What a macrostep emitted, sorted: several laws look at each of these. */
interface Sorted {
  readonly changes: LogChange[];
  readonly appended: ClineMessage[];
  readonly starts: Start[];
}

const NOTHING: Sorted = { changes: [], appended: [], starts: [] };
const NO_IDS: readonly string[] = [];

/** All laws look at one step before any looks at the next, so that the last one is all that is worth keeping. */
let last: { readonly step: Pick<Step, "before" | "emitted">; readonly sorted: Sorted } | undefined;

function sortedOf({ before, emitted }: Step): Sorted {
  if (emitted.length === 0) return NOTHING;
  if (last?.step.emitted === emitted && last.step.before === before) return last.sorted;
  const sorted: Sorted = { changes: [], appended: [], starts: [] };
  let { log } = before.context;
  for (const piece of emitted) {
    if (piece.type === "effect.started") sorted.starts.push(piece);
    if (piece.type === "message.appended") sorted.appended.push(piece.message);
    if (!isLogEvent(piece)) continue;
    const change = changeBy(piece, log);
    sorted.changes.push(change);
    log = change.after;
  }
  last = { step: { before, emitted }, sorted };
  return sorted;
}

const isLogEvent = (piece: TaskEmitted): piece is LogEvent =>
  piece.type.startsWith("message.") || piece.type.startsWith("log.");

function changeBy(event: LogEvent, before: Log): LogChange {
  const after = applyLogEvent(before, event);
  if (!("ts" in event))
    return { event, before, after, row: before.at(-1), isLast: true, touched: newIn(event, after) };
  const position = positionOf(before, event.ts);
  const row = position < 0 ? undefined : before.at(position);
  const isLast = row !== undefined && position === before.length - 1;
  return { event, before, after, row, isLast, touched: position < 0 ? [] : [position] };
}

function newIn({ type }: LogEvent, after: Log): readonly number[] {
  if (type === "message.appended") return [after.length - 1];
  return type === "log.replaced" ? [...after.toArray().keys()] : [];
}

/** Most changes are of one of the newest rows. */
function positionOf(log: Log, ts: number): number {
  let position = log.length - 1;
  while (position >= 0 && log.at(position)?.ts !== ts) position -= 1;
  return position;
}

/** The log's changes in order, each with the log before it. */
export const changesOf = (step: Step): readonly LogChange[] => sortedOf(step).changes;

/** The rows that the macrostep appended. */
export const appendedIn = (step: Step): readonly ClineMessage[] => sortedOf(step).appended;

/** The ids of the edge actors of one kind that the macrostep started. */
export function startedIn(step: Step, kind: EffectKind): readonly string[] {
  const { starts } = sortedOf(step);
  if (!starts.some(({ effect }) => effect === kind)) return NO_IDS;
  return starts.flatMap(({ effect, id }) => (effect === kind ? [id] : []));
}

/** Who is alive after a macrostep that emitted these pieces. */
export function actorsAfter(
  alive: ReadonlySet<string>,
  emitted: readonly TaskEmitted[],
): ReadonlySet<string> {
  let next: Set<string> | undefined;
  for (const piece of emitted) {
    if (piece.type === "effect.started") next = (next ?? new Set(alive)).add(piece.id);
    else if (piece.type === "effect.stopped") {
      next ??= new Set(alive);
      next.delete(piece.id);
    }
  }
  return next ?? alive;
}

/** Whether the macrostep changed anything that a person, a model or an actor could notice. */
export const isChangedBy = ({ before, after, emitted }: Step): boolean =>
  emitted.length > 0 ||
  before.state !== after.state ||
  before.context.log !== after.context.log ||
  before.context.turn !== after.context.turn ||
  before.context.queue !== after.context.queue ||
  before.context.pending !== after.context.pending ||
  before.context.mode !== after.context.mode ||
  before.context.conversation !== after.context.conversation;
