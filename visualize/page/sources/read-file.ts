import { type TraceEvent, Tracer } from "../../../trace/index.ts";
import { parseRecord, readTraceEvent } from "../../../wire/index.ts";
import { jsonOf } from "./session.ts";
import { SourceError } from "./source-error.ts";

/**
 * The events in the text of a file: a list of events as JSON, events as lines, or a task's journal (`journal.jsonl`).
 * The last line may be torn. The checksums of a journal are not checked here.
 *
 * @throws SourceError `SOURCE_FILE` where the text is none of these
 */
export function eventsIn(text: string): readonly TraceEvent[] {
  const value = jsonOf(text);
  if (Array.isArray(value)) return value.map((item, index) => eventOf(item, `Event ${index}`));
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const whole = jsonOf(lines.at(-1) ?? "") === undefined ? lines.slice(0, -1) : lines;
  const values = whole.map(jsonOf);
  const [first] = values;
  return typeof first === "object" && first !== null && "record" in first
    ? values.map((item, index) => eventOf(item, `Line ${index + 1}`))
    : journalEvents(values);
}

function eventOf(item: unknown, where: string): TraceEvent {
  const parsed = readTraceEvent(item);
  if (parsed.success) return parsed.data;
  throw new SourceError("SOURCE_FILE", `${where} of the file is no event of a trace: ${parsed.problem}.`);
}

function journalEvents(values: readonly unknown[]): readonly TraceEvent[] {
  const records = values.map((value, index) => {
    const parsed = parseRecord(value);
    if (parsed.success) return parsed.data;
    throw new SourceError(
      "SOURCE_FILE",
      `Line ${index + 1} of the file is no record of a journal: ${parsed.problem}. Expected a journal, or events of a trace.`,
    );
  });
  const [header] = records;
  if (header?.kind !== "header")
    throw new SourceError("SOURCE_FILE", "The file's first line is not the header of a journal.");
  const tracer = new Tracer(header.taskId);
  return records.map((record) => tracer.add(record));
}
