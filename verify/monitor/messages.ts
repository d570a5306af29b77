import {
  type ClineMessage,
  detectAgentState,
  isRequestMessage,
  isRequestOpen,
  requestInfo,
} from "../../machines/message/index.ts";
import { isUnclosedAsk, nameOf } from "./message-name.ts";
import { type LogViolation, quoted } from "./violation.ts";

type Rows = readonly ClineMessage[];

/**
 * Holds the laws that need only messages against a recorded log of any agent that speaks the family's rows: one
 * partial row at most, the last (L3); requests that are closed with their cost (L4); `ts` that increases (L5);
 * one open ask at most, the last row (L8). Linear in the number of rows; throws for no row.
 *
 * A log of another agent has no closing marks of ours. Then an ask counts as never answered only where the ask to
 * resume stands right behind it, and the lack of marks is told once, at the first such ask.
 *
 * @returns the violations in the order of the rows; none for a log that obeys.
 *
 * @example
 * ```ts
 * import { monitorMessages } from "signalbox/verify";
 * const rows = [
 *   { ts: 5, type: "say", say: "text", text: "Fix it", partial: true },
 *   { ts: 4, type: "say", say: "text", text: "I will." },
 * ] as const;
 * console.log(monitorMessages(rows).map(({ law, at }) => `${law} at row ${at}`).join(", ")); // L3 at row 0, L5 at row 1
 * ```
 */
export function monitorMessages(messages: Iterable<ClineMessage>): readonly LogViolation[] {
  const rows = [...messages];
  return [...partialRows(rows), ...requestRows(rows), ...times(rows), ...asks(rows)].sort(
    (one, other) => one.at - other.at,
  );
}

function partialRows(rows: Rows): LogViolation[] {
  const last = rows.length - 1;
  const request = rows.findLast((row) => isRequestMessage(row));
  const isStreaming = request !== undefined && isRequestOpen(request);
  return rows.flatMap((row, at): LogViolation[] => {
    if (row.partial !== true) return [];
    if (at < last)
      return [
        {
          law: "L3",
          at,
          expected: "only the last row may be partial",
          came: `${nameOf(row)} is partial, and ${last - at} rows follow it`,
        },
      ];
    return isStreaming
      ? []
      : [
          {
            law: "L3",
            at,
            expected: "a row is partial only while a request is open",
            came: `${nameOf(row)} is partial, and no request is open`,
          },
        ];
  });
}

function requestRows(rows: Rows): LogViolation[] {
  const newest = rows.findLastIndex((row) => isRequestMessage(row));
  return rows.flatMap((row, at): LogViolation[] => {
    if (!isRequestMessage(row)) return [];
    if (isRequestOpen(row)) return openRequest(rows, at, newest);
    return requestInfo(row)?.cost === undefined
      ? [{ law: "L4", at, expected: "a closed request tells its cost, a number", came: quoted(row.text) }]
      : [];
  });
}

function openRequest(rows: Rows, at: number, newest: number): LogViolation[] {
  if (at < newest)
    return [
      {
        law: "L4",
        at,
        expected: "a request is closed before the next one is opened",
        came: `it has no cost, and the request at row ${newest} is newer`,
      },
    ];
  const { state } = detectAgentState(rows);
  return state === "streaming"
    ? []
    : [
        {
          law: "L4",
          at,
          expected: "a request is open only while streaming",
          came: `it has no cost, and the log means ${state}`,
        },
      ];
}

function times(rows: Rows): LogViolation[] {
  return rows.flatMap((row, at): LogViolation[] => {
    const before = rows[at - 1];
    return before === undefined || row.ts > before.ts
      ? []
      : [{ law: "L5", at, expected: `a ts after ${before.ts}, that of the row before`, came: `${row.ts}` }];
  });
}

/** An ask that was left open, and the row behind it. */
interface LeftAsk {
  readonly at: number;
  readonly row: ClineMessage;
  readonly next: ClineMessage;
}

function asks(rows: Rows): LogViolation[] {
  const left = rows.flatMap((row, at): LeftAsk[] => {
    const next = rows[at + 1];
    return next !== undefined && row.partial !== true && isUnclosedAsk(row) ? [{ at, row, next }] : [];
  });
  const marksClosings = rows.some((row) => row.closing !== undefined);
  const isUnanswered = ({ next }: LeftAsk): boolean =>
    marksClosings || next.ask?.startsWith("resume_") === true;
  const unanswered = left.filter(isUnanswered).map(leftOpen);
  const unmarked = left.filter((one) => !isUnanswered(one));
  const [first] = unmarked;
  if (first === undefined) return unanswered;
  const expected = "each ask is closed once, and its row says how";
  const came = `${unmarked.length} asks have no word of how they ended; ${nameOf(first.row)} is the first`;
  return [...unanswered, { law: "L8", at: first.at, expected, came }];
}

const leftOpen = ({ at, row, next }: LeftAsk): LogViolation => ({
  law: "L8",
  at,
  expected: "an open ask is the last row",
  came: `${nameOf(row)} is open, and ${nameOf(next)} follows it`,
});
