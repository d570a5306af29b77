import { type TraceEvent, Tracer } from "../../../trace/index.ts";
import { type JournalRecord, parseRecord, traceEventSchema } from "../../../wire/index.ts";
import { jsonOf } from "./session.ts";
import { SourceError } from "./source-error.ts";

/**
 * The events in the text of a file: a list of events as JSON, or a task's journal (`journal.jsonl`, a record a line).
 * A journal's last line may be torn.
 *
 * @throws SourceError `SOURCE_FILE` where the text is neither
 */
export function eventsIn(text: string): readonly TraceEvent[] {
  const value = jsonOf(text);
  if (Array.isArray(value)) return value.map((item, index) => eventAt(item, index));
  return journalEvents(text);
}

function eventAt(item: unknown, index: number): TraceEvent {
  const parsed = traceEventSchema.safeParse(item);
  if (parsed.success) return parsed.data;
  const [first] = parsed.error.issues;
  throw new SourceError(
    "SOURCE_FILE",
    `Event ${index} of the file is no event of a trace: ${first?.path.join(".") ?? ""}: ${first?.message ?? ""}.`,
  );
}

function journalEvents(text: string): readonly TraceEvent[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const records: JournalRecord[] = [];
  for (const [index, line] of lines.entries()) {
    const parsed = parseRecord(jsonOf(line));
    if (parsed.success) records.push(parsed.data);
    else if (index < lines.length - 1 || index === 0)
      throw new SourceError(
        "SOURCE_FILE",
        `Line ${index + 1} of the file is no record of a journal: ${parsed.problem}. Expected a journal, or a list of events.`,
      );
  }
  const [header] = records;
  if (header?.kind !== "header")
    throw new SourceError("SOURCE_FILE", "The file's first line is not the header of a journal.");
  const tracer = new Tracer(header.taskId);
  return records.map((record) => tracer.add(record));
}
