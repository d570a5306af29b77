import { parseJson } from "../../../machines/message/json.ts";
import { readTraceEvent } from "../../../wire/http/read-trace-event.ts";
import { parseRecord } from "../../../wire/journal/parse-record.ts";
import type { TraceEvent } from "../../trace/trace-event.ts";
import { Tracer } from "../../trace/tracer.ts";
import { SourceError } from "./source-error.ts";

/** Whether a file is a trace or a journal. */
export function isOwn(content: string | Uint8Array): content is string {
  if (typeof content !== "string") return false;
  const value = parseJson(content) ?? parseJson(content.trimStart().split("\n", 1)[0] ?? "");
  if (Array.isArray(value) && value.length === 0) return true;
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return (
    typeof first === "object" && first !== null && ("record" in first || ("kind" in first && "seq" in first))
  );
}

/**
 * Parse the events of a file: a JSON array of events, events as NDJSON, or a task's journal (`journal.jsonl`).
 * The last line may be torn. The checksums of a journal are not verified.
 *
 * @throws SourceError `SOURCE_FILE` if the text is none of these
 */
export function parseEvents(text: string): readonly TraceEvent[] {
  const value = parseJson(text);
  if (Array.isArray(value)) return value.map((item, index) => eventOf(item, `event ${index}`));
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const whole = parseJson(lines.at(-1) ?? "") === undefined ? lines.slice(0, -1) : lines;
  const values = whole.map(parseJson);
  const [first] = values;
  return typeof first === "object" && first !== null && "record" in first
    ? values.map((item, index) => eventOf(item, `line ${index + 1}`))
    : journalEvents(values);
}

function eventOf(item: unknown, where: string): TraceEvent {
  const parsed = readTraceEvent(item);
  if (parsed.success) return parsed.data;
  throw new SourceError("SOURCE_FILE", `Expected a trace event as ${where} of the file: ${parsed.problem}.`);
}

function journalEvents(values: readonly unknown[]): readonly TraceEvent[] {
  const records = values.map((value, index) => {
    const parsed = parseRecord(value);
    if (parsed.success) return parsed.data;
    throw new SourceError(
      "SOURCE_FILE",
      `Expected a journal or trace events, got line ${index + 1}: ${parsed.problem}.`,
    );
  });
  const [header] = records;
  if (header?.kind !== "header")
    throw new SourceError("SOURCE_FILE", "Expected the header of a journal as the file's first line.");
  const tracer = new Tracer(header.taskId);
  return records.map((record) => tracer.add(record));
}
