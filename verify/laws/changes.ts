import { applyLogEvent, type Log, type LogEvent } from "../../machines/message/log.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import type { EffectKind } from "../../machines/task/effect-kinds.ts";
import type { TaskEmitted } from "../../machines/task/task.events.ts";
import type { Step } from "./law.ts";

/** One change of the log within a macrostep. */
export interface LogChange {
  readonly event: LogEvent;
  readonly before: Log;
  readonly after: Log;
  /** The message named by the event, before the change; for an append, the last message. */
  readonly message: ClineMessage | undefined;
  readonly isLast: boolean;
  /** Positions of the appended or changed messages. */
  readonly touched: readonly number[];
}

interface Start {
  readonly effect: EffectKind;
  readonly id: string;
}

/** Emitted events of a macrostep, grouped for several laws. */
interface EmittedByKind {
  readonly changes: LogChange[];
  readonly appended: ClineMessage[];
  readonly starts: Start[];
}

const NO_EVENTS: EmittedByKind = { changes: [], appended: [], starts: [] };
const NO_IDS: readonly string[] = [];

/** Cache of one step: all laws check a step before the next. */
let cached: { readonly step: Pick<Step, "before" | "emitted">; readonly grouped: EmittedByKind } | undefined;

function emittedByKind({ before, emitted }: Step): EmittedByKind {
  if (emitted.length === 0) return NO_EVENTS;
  if (cached?.step.emitted === emitted && cached.step.before === before) return cached.grouped;
  const grouped: EmittedByKind = { changes: [], appended: [], starts: [] };
  let { log } = before.context;
  for (const event of emitted) {
    if (event.type === "effect.started") grouped.starts.push(event);
    if (event.type === "message.appended") grouped.appended.push(event.message);
    if (!isLogEvent(event)) continue;
    const change = changeBy(event, log);
    grouped.changes.push(change);
    log = change.after;
  }
  cached = { step: { before, emitted }, grouped };
  return grouped;
}

const isLogEvent = (event: TaskEmitted): event is LogEvent =>
  event.type.startsWith("message.") || event.type.startsWith("log.");

function changeBy(event: LogEvent, before: Log): LogChange {
  const after = applyLogEvent(before, event);
  if (!("ts" in event))
    return {
      event,
      before,
      after,
      message: before.at(-1),
      isLast: true,
      touched: newPositions(event, after),
    };
  const position = positionOf(before, event.ts);
  const message = position < 0 ? undefined : before.at(position);
  const isLast = message !== undefined && position === before.length - 1;
  return { event, before, after, message, isLast, touched: position < 0 ? [] : [position] };
}

function newPositions({ type }: LogEvent, after: Log): readonly number[] {
  if (type === "message.appended") return [after.length - 1];
  return type === "log.replaced" ? [...after.toArray().keys()] : [];
}

/** Search from the end: most changes are of a recent message. */
function positionOf(log: Log, ts: number): number {
  let position = log.length - 1;
  while (position >= 0 && log.at(position)?.ts !== ts) position -= 1;
  return position;
}

/** Changes of the log in order, each with the log before and after it. */
export const logChanges = (step: Step): readonly LogChange[] => emittedByKind(step).changes;

/** Messages that the macrostep appended. */
export const appendedMessages = (step: Step): readonly ClineMessage[] => emittedByKind(step).appended;

/** Ids of the actors of one kind that the macrostep started. */
export function startedIds(step: Step, kind: EffectKind): readonly string[] {
  const { starts } = emittedByKind(step);
  if (!starts.some(({ effect }) => effect === kind)) return NO_IDS;
  return starts.flatMap(({ effect, id }) => (effect === kind ? [id] : []));
}

/** Ids of the active actors after a macrostep. */
export function actorsAfter(active: ReadonlySet<string>, emitted: Step["emitted"]): ReadonlySet<string> {
  let next: Set<string> | undefined;
  for (const event of emitted) {
    if (event.type === "effect.started") next = (next ?? new Set(active)).add(event.id);
    else if (event.type === "effect.stopped") {
      next ??= new Set(active);
      next.delete(event.id);
    }
  }
  return next ?? active;
}

/** Whether the macrostep changed anything that a user, a model or an actor can observe. */
export const isChangedBy = ({ before, after, emitted }: Step): boolean =>
  emitted.length > 0 ||
  before.state !== after.state ||
  before.context.log !== after.context.log ||
  before.context.turn !== after.context.turn ||
  before.context.queue !== after.context.queue ||
  before.context.pending !== after.context.pending ||
  before.context.mode !== after.context.mode ||
  before.context.permissions !== after.context.permissions ||
  before.context.profile !== after.context.profile ||
  before.context.conversation !== after.context.conversation;
