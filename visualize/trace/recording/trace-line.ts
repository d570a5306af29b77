import { readTraceEvent } from "../../../wire/http/read-trace-event.ts";
import type { JournalRecord } from "../../../wire/journal/record.ts";
import type { TraceEvent } from "../trace-event.ts";
import { TraceError } from "./error.ts";

/** Format a trace event as JSON. `recordJson` formats its record, for callers that cache it. */
export function formatTraceEvent(
  { seq, taskId, record, ...rest }: TraceEvent,
  recordJson: (record: JournalRecord) => string = JSON.stringify,
): string {
  const more = JSON.stringify(rest).slice(1);
  return `{"seq":${seq},"taskId":${JSON.stringify(taskId)},"record":${recordJson(record)},${more}`;
}

/** A trace as NDJSON: one event a line, each with its newline. */
export function* traceLines(events: Iterable<TraceEvent>): Generator<string> {
  for (const event of events) yield `${formatTraceEvent(event)}\n`;
}

/**
 * Parse one line of a trace. `line`: its number, from 1, for the error.
 * @throws TraceError `TRACE_LINE` if it is no trace event
 */
export function parseTraceLine(text: string, line: number): TraceEvent {
  const read = readTraceEvent(jsonOf(text, line));
  if (read.success) return read.data;
  throw lineError(line, read.problem);
}

function jsonOf(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw lineError(line, error instanceof Error ? error.message : String(error));
  }
}

const lineError = (line: number, problem: string): TraceError =>
  new TraceError(
    "TRACE_LINE",
    `Expected a trace event on line ${line}: ${problem}. Record the trace again, or cut it before this line.`,
  );
