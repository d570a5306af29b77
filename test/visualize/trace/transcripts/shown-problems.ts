import { problemText } from "../../../../visualize/page/model/problem-text.ts";
import { TraceIndexer } from "../../../../visualize/page/model/trace-indexer.ts";
import { traceOfJournal } from "../../../../visualize/trace/recording/trace-of-journal.ts";
import { TraceLog } from "../../../../visualize/trace/trace-log.ts";
import { recordsOfTranscript } from "../../../../visualize/trace/transcripts/records.ts";
import type { Transcript } from "../../../../visualize/trace/transcripts/transcript.ts";

/** The problems of a session as the page shows them. */
export function problemsOf(transcript: Transcript | undefined): readonly string[] {
  if (transcript === undefined) return [];
  const trace = new TraceLog(transcript.taskId, traceOfJournal(recordsOfTranscript(transcript)));
  const index = new TraceIndexer(trace).index();
  return index.problems.list.map((problem) => problemText(problem, index));
}
