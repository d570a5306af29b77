import type { JournalRecord } from "../../../wire/journal/record.ts";
import type { TraceEvent } from "../trace-event.ts";
import { Tracer } from "../tracer.ts";
import { TraceError } from "./error.ts";

/**
 * The trace of a recorded task: one event for each record of its journal, in order.
 * @throws TraceError `TRACE_HEADER` if the first record is no header
 *
 * @example
 * ```ts
 * import { traceOfJournal } from "signalbox/trace";
 * const [first] = traceOfJournal([{ seq: 0, kind: "header", version: 2, taskId: "t1", createdAt: 0 }]);
 * console.log(first?.seq, first?.from); // 0 task
 * ```
 */
export function traceOfJournal(records: Iterable<JournalRecord>): readonly TraceEvent[] {
  let tracer: Tracer | undefined;
  const events: TraceEvent[] = [];
  for (const record of records) {
    if (tracer === undefined) {
      if (record.kind !== "header")
        throw new TraceError(
          "TRACE_HEADER",
          `Expected a header as a journal's first record, got a ${record.kind} (record ${record.seq}). Pass all records of the journal.`,
        );
      tracer = new Tracer(record.taskId);
    }
    events.push(tracer.add(record));
  }
  return events;
}
