import { traceOfJournal } from "../../trace/recording/trace-of-journal.ts";
import type { TraceEvent } from "../../trace/trace-event.ts";
import type { TranscriptFile } from "../../trace/transcripts/transcript.ts";
import { loadPart } from "../load-part.ts";
import type { PageSource } from "../source.ts";
import { fileSource } from "./file-source.ts";
import { isOwn, readEvents } from "./read-file.ts";
import { SourceError } from "./source-error.ts";

/**
 * Open files as a read-only source: traces, journals, and sessions of other agents, whose readers are loaded when they
 * are needed. The files of one session belong together.
 *
 * @throws SourceError `SOURCE_FILE` if no file is a trace, a journal or a session
 */
export async function openFiles(files: readonly TranscriptFile[]): Promise<PageSource> {
  const texts: string[] = [];
  const others: TranscriptFile[] = [];
  for (const file of files) {
    const { content } = file;
    if (isOwn(content)) texts.push(content);
    else others.push(file);
  }
  const read = texts.map(readEvents);
  const own = read.flatMap(({ events }) => events);
  const damage = new Map(
    read.flatMap(({ events: [first], damage: reason }) =>
      first === undefined || reason === undefined ? [] : [[first.taskId, reason] as const],
    ),
  );
  const more = others.length === 0 ? [] : await transcriptEvents(others, own.length > 0);
  return fileSource([...own, ...more], { damage });
}

async function transcriptEvents(
  files: readonly TranscriptFile[],
  hasOthers: boolean,
): Promise<readonly TraceEvent[]> {
  const { readTranscripts, recordsOfTranscript } = await loadPart(() => import("../transcript-readers.ts"));
  const { transcripts, problems } = readTranscripts(files);
  const [problem] = problems;
  if (transcripts.length === 0 && problem !== undefined && !hasOthers)
    throw new SourceError(
      "SOURCE_FILE",
      `Expected a journal, trace events or a session of another agent, got ${problem.where}: ${problem.what}`,
    );
  return transcripts.flatMap((transcript) => traceOfJournal(recordsOfTranscript(transcript)));
}
