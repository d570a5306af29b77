import { type AgentStateInfo, detectAgentState } from "../../machines/message/detect.ts";
import { emptyLog, type Log } from "../../machines/message/log.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import { isRequestMessage, isRequestOpen } from "../../machines/message/request.ts";

/** Facts about a log that several laws need, derived from its messages and not from the emitted events. */
export interface LogFacts {
  /** State derived from the whole log. */
  readonly derived: AgentStateInfo;
  /** Positions where this log differs from the one before it, ascending. */
  readonly changed: readonly number[];
  /** Positions of all partial messages, ascending. */
  readonly partial: readonly number[];
  /** Positions of all asks without a closing mark, ascending. */
  readonly openAsks: readonly number[];
  /** Positions of all open requests, ascending. */
  readonly openRequests: readonly number[];
  /** Position of the newest request, or -1. */
  readonly newestRequest: number;
}

const NONE: readonly number[] = [];

export const EMPTY_LOG_FACTS: LogFacts = {
  derived: detectAgentState(emptyLog),
  changed: NONE,
  partial: NONE,
  openAsks: NONE,
  openRequests: NONE,
  newestRequest: -1,
};

const isPartial = (message: ClineMessage): boolean => message.partial === true;
const isOpenAsk = (message: ClineMessage): boolean => message.type === "ask" && message.closing === undefined;

/** The facts of `log`, updated from the facts of the log `before` it: only changed messages are read. */
export function logFactsAfter(facts: LogFacts, before: Log, log: Log): LogFacts {
  if (before === log) return facts.changed === NONE ? facts : { ...facts, changed: NONE };
  const changed = differences(before, log);
  return {
    derived: detectAgentState(log),
    changed,
    partial: updated(facts.partial, changed, log, isPartial),
    openAsks: updated(facts.openAsks, changed, log, isOpenAsk),
    openRequests: updated(facts.openRequests, changed, log, isRequestOpen),
    newestRequest: newest(facts.newestRequest, changed, log),
  };
}

/** Compare by identity: an unchanged message is the same object in both logs. */
function differences(before: Log, log: Log): readonly number[] {
  const positions: number[] = [];
  const length = Math.max(before.length, log.length);
  for (let position = 0; position < length; position += 1)
    if (before.at(position) !== log.at(position)) positions.push(position);
  return positions;
}

function updated(
  known: readonly number[],
  changed: readonly number[],
  log: Log,
  matches: (message: ClineMessage) => boolean,
): readonly number[] {
  const kept = known.filter((position) => !changed.includes(position));
  const added = changed.filter((position) => {
    const message = log.at(position);
    return message !== undefined && matches(message);
  });
  if (added.length === 0) return kept.length === known.length ? known : kept;
  return kept.length === 0 ? added : [...kept, ...added].sort((a, b) => a - b);
}

function newest(known: number, changed: readonly number[], log: Log): number {
  if (!changed.includes(known)) {
    const later = changed.findLast((position) => position > known && isRequestAt(log, position));
    return later ?? known;
  }
  for (let position = log.length - 1; position >= 0; position -= 1)
    if (isRequestAt(log, position)) return position;
  return -1;
}

function isRequestAt(log: Log, position: number): boolean {
  const message = log.at(position);
  return message !== undefined && isRequestMessage(message);
}
