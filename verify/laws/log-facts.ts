import {
  type AgentStateInfo,
  type ClineMessage,
  detectAgentState,
  emptyLog,
  isRequestMessage,
  isRequestOpen,
  type Log,
} from "../../machines/message/index.ts";

/**
 * What the laws look for in a log, found once for each log. It is read from the rows themselves, and from none of
 * the events that are said to have made them.
 */
export interface LogFacts {
  /** What the log means, by the batch derivation. */
  readonly means: AgentStateInfo;
  /** Where this log and the one before it have another row, ascending; also where only one of them has a row. */
  readonly changed: readonly number[];
  /** The positions of all rows that are partial, ascending. */
  readonly partial: readonly number[];
  /** The positions of all asks that aren't closed, ascending. */
  readonly openAsks: readonly number[];
  /** The positions of all requests that are open, ascending. */
  readonly openRequests: readonly number[];
  /** The position of the newest request, or -1. */
  readonly newestRequest: number;
}

const NOWHERE: readonly number[] = [];

/** What there is to know of an empty log. */
export const EMPTY_LOG_FACTS: LogFacts = {
  means: detectAgentState(emptyLog),
  changed: NOWHERE,
  partial: NOWHERE,
  openAsks: NOWHERE,
  openRequests: NOWHERE,
  newestRequest: -1,
};

const isPartial = (row: ClineMessage): boolean => row.partial === true;
const isOpenAsk = (row: ClineMessage): boolean => row.type === "ask" && row.closing === undefined;

/** The facts of `log`, from those of the log `before` it: only rows that are others are looked at. */
export function logFactsAfter(facts: LogFacts, before: Log, log: Log): LogFacts {
  if (before === log) return facts.changed === NOWHERE ? facts : { ...facts, changed: NOWHERE };
  const changed = differences(before, log);
  return {
    means: detectAgentState(log),
    changed,
    partial: found(facts.partial, changed, log, isPartial),
    openAsks: found(facts.openAsks, changed, log, isOpenAsk),
    openRequests: found(facts.openRequests, changed, log, isRequestOpen),
    newestRequest: newest(facts.newestRequest, changed, log),
  };
}

/** A row that nothing touched is the same object in both. */
function differences(one: Log, other: Log): readonly number[] {
  const positions: number[] = [];
  const length = Math.max(one.length, other.length);
  for (let position = 0; position < length; position += 1)
    if (one.at(position) !== other.at(position)) positions.push(position);
  return positions;
}

function found(
  known: readonly number[],
  changed: readonly number[],
  log: Log,
  is: (row: ClineMessage) => boolean,
): readonly number[] {
  const still = known.filter((position) => !changed.includes(position));
  const more = changed.filter((position) => {
    const row = log.at(position);
    return row !== undefined && is(row);
  });
  if (more.length === 0) return still.length === known.length ? known : still;
  return still.length === 0 ? more : [...still, ...more].sort((one, other) => one - other);
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
  const row = log.at(position);
  return row !== undefined && isRequestMessage(row);
}
