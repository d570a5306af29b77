import { parseJson } from "../../../machines/message/json.ts";
import { readTraceEvent } from "../../../wire/http/read-trace-event.ts";
import { parseRecord } from "../../../wire/journal/parse-record.ts";
import { traceOfJournal } from "../../trace/recording/trace-of-journal.ts";
import type { TraceEvent } from "../../trace/trace-event.ts";
import { Tracer } from "../../trace/tracer.ts";
import { readTranscripts } from "../../trace/transcripts/read-transcripts.ts";
import { recordsOfTranscript } from "../../trace/transcripts/records.ts";
import type { TranscriptFile } from "../../trace/transcripts/transcript.ts";
import { SourceError } from "./source-error.ts";

/**
 * Parse the events of a file: a JSON array of events, events as NDJSON, a task's journal (`journal.jsonl`), or a session of
 * another agent. The last line may be torn. The checksums of a journal are not verified.
 *
 * @throws SourceError `SOURCE_FILE` if the file is none of these
 */
export const parseEvents = (content: string | Uint8Array): readonly TraceEvent[] =>
  parseFiles([{ name: "file", content }]);

/**
 * Parse the events of files. The files of one session of another agent belong together.
 *
 * @throws SourceError `SOURCE_FILE` if the files have no events
 */
export function parseFiles(files: readonly TranscriptFile[]): readonly TraceEvent[] {
  const own = files.flatMap(({ content }) => (isOwn(content) ? parseOwn(content) : []));
  const others = files.filter(({ content }) => !isOwn(content));
  const { transcripts, problems } = readTranscripts(others);
  const events = [
    ...own,
    ...transcripts.flatMap((transcript) => traceOfJournal(recordsOfTranscript(transcript))),
  ];
  const [problem] = problems;
  if (events.length === 0 && problem !== undefined)
    throw new SourceError(
      "SOURCE_FILE",
      `Expected a journal, trace events or a session of another agent, got ${problem.where}: ${problem.what}`,
    );
  return events;
}

/** Whether a file is a trace or a journal. */
function isOwn(content: TranscriptFile["content"]): content is string {
  if (typeof content !== "string") return false;
  const value = parseJson(content) ?? parseJson(content.trimStart().split("\n", 1)[0] ?? "");
  if (Array.isArray(value) && value.length === 0) return true;
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return (
    typeof first === "object" && first !== null && ("record" in first || ("kind" in first && "seq" in first))
  );
}

function parseOwn(text: string): readonly TraceEvent[] {
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
