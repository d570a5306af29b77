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

/** The events of a file. */
export interface FileEvents {
  readonly events: readonly TraceEvent[];
  /** The place where a journal breaks off, and the reason: what follows is not read. */
  readonly damage?: string;
}

/**
 * Parse the events of a file: a JSON array of events, events as NDJSON, or a task's journal (`journal.jsonl`).
 * The last line may be torn. The checksums of a journal are not verified.
 *
 * @throws SourceError `SOURCE_FILE` if the text is none of these
 */
export function parseEvents(text: string): readonly TraceEvent[] {
  const { events, damage } = readEvents(text);
  if (damage === undefined) return events;
  throw new SourceError("SOURCE_FILE", `Expected a journal or trace events, got ${damage}.`);
}

/** Read the events of a file as {@link parseEvents} does, up to the line at which a journal breaks off. */
export function readEvents(text: string): FileEvents {
  const value = parseJson(text);
  if (Array.isArray(value)) return { events: value.map((item, index) => eventOf(item, `event ${index}`)) };
  const [first] = valuesIn(text);
  return typeof first === "object" && first !== null && "record" in first
    ? { events: readTrace(text) }
    : readJournal(valuesIn(text));
}

/** Parse the lines of a text one by one, without blank lines and a torn last one. Undefined: a line is not JSON. */
function* valuesIn(text: string): Generator<unknown, void> {
  let start = 0;
  while (start < text.length) {
    const end = text.indexOf("\n", start);
    const line = text.slice(start, end < 0 ? text.length : end);
    start = end < 0 ? text.length : end + 1;
    const value = parseJson(line);
    if (value === undefined && line.trim() === "") continue;
    if (value === undefined && text.slice(start).trim() === "") return;
    yield value;
  }
}

function readTrace(text: string): readonly TraceEvent[] {
  const events: TraceEvent[] = [];
  for (const value of valuesIn(text)) events.push(eventOf(value, `line ${events.length + 1}`));
  return events;
}

function eventOf(item: unknown, where: string): TraceEvent {
  const parsed = readTraceEvent(item);
  if (parsed.success) return parsed.data;
  throw new SourceError("SOURCE_FILE", `Expected a trace event as ${where} of the file: ${parsed.problem}.`);
}

function readJournal(values: Iterator<unknown>): FileEvents {
  const header = parseRecord(values.next().value);
  if (!header.success || header.data.kind !== "header")
    throw new SourceError("SOURCE_FILE", "Expected the header of a journal as the file's first line.");
  const tracer = new Tracer(header.data.taskId);
  const events = [tracer.add(header.data)];
  for (let next = values.next(); next.done !== true; next = values.next()) {
    const index = events.length;
    const parsed = parseRecord(next.value);
    if (!parsed.success) return { events, damage: `line ${index + 1}: ${parsed.problem}` };
    const { seq } = parsed.data;
    if (seq !== index)
      return { events, damage: `line ${index + 1}: expected record ${index}, found record ${seq}` };
    events.push(tracer.add(parsed.data));
  }
  return { events };
}
