import { type JournalRecord, readTraceEvent } from "../../wire/index.ts";
import type { TraceEvent } from "../trace-event.ts";
import { TraceError } from "./error.ts";

/**
 * An event of a trace as JSON. `recordJson` gives its record's: whoever tells one record to many makes it once.
 */
export function traceJson(
  { seq, taskId, record, ...rest }: TraceEvent,
  recordJson: (record: JournalRecord) => string = JSON.stringify,
): string {
  const more = JSON.stringify(rest).slice(1);
  return `{"seq":${seq},"taskId":${JSON.stringify(taskId)},"record":${recordJson(record)},${more}`;
}

/** A trace as lines of JSON, one an event, each with its line's end. */
export function* traceLines(events: Iterable<TraceEvent>): Generator<string> {
  for (const event of events) yield `${traceJson(event)}\n`;
}

/**
 * Reads one line of a trace. `line`: its number, from 1, for the error.
 * @throws TraceError `TRACE_LINE` where it is no event of a trace
 */
export function parseTraceLine(text: string, line: number): TraceEvent {
  const read = readTraceEvent(jsonOf(text, line));
  if (read.success) return read.data;
  throw badLine(line, read.problem);
}

function jsonOf(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badLine(line, error instanceof Error ? error.message : String(error));
  }
}

const badLine = (line: number, problem: string): TraceError =>
  new TraceError(
    "TRACE_LINE",
    `Line ${line} of the trace is no event of a trace: ${problem}. Make the recording anew, or cut it before this line.`,
  );
