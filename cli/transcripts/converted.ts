import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { printable } from "../../client/printable/printable.ts";
import { nonEmptyParts } from "../../machines/task/commit.ts";
import { encodeLine } from "../../store/journal/line.ts";
import { JOURNAL, taskFolder } from "../../store/task-history/task-folder.ts";
import { readTranscripts } from "../../visualize/trace/transcripts/read-transcripts.ts";
import { recordsOfTranscript } from "../../visualize/trace/transcripts/records.ts";
import type { Transcript, TranscriptProblem } from "../../visualize/trace/transcripts/transcript.ts";
import type { JournalDraft, JournalRecord } from "../../wire/journal/record.ts";
import type { Io } from "../io.ts";
import { readSessionFiles, type SessionFiles } from "./session-files.ts";

/** Maximum problems of a session that are printed. */
const PROBLEMS_MAX = 10;

export interface ConvertOptions {
  /** The data directory of the journals. */
  readonly dataDir: string;
  readonly io: Pick<Io, "stderr">;
  readonly masksSecrets: boolean;
}

/**
 * Write the sessions as journals into a data directory, and print a line for each part of a file that was not read. Returns
 * the ids of the tasks, a parent before its subtasks.
 */
export async function convertSessions(
  sessions: readonly SessionFiles[],
  { dataDir, io, masksSecrets }: ConvertOptions,
): Promise<readonly string[]> {
  const ids = new Set<string>();
  for (const session of sessions) {
    const { files, problems } = await readSessionFiles(session);
    const read = readTranscripts(files, { masksSecrets });
    warn([...problems, ...read.problems], io);
    for (const transcript of read.transcripts) {
      if (ids.has(transcript.taskId)) {
        warn([{ where: transcript.taskId, what: "the session was read before, from a newer file" }], io);
        continue;
      }
      ids.add(transcript.taskId);
      await writeJournal(transcript, dataDir);
    }
  }
  return [...ids];
}

/**
 * Write the session of a log as the journal of a task with this id and title into a data directory. Returns whether the log has
 * a session.
 */
export async function convertLog(
  file: string,
  task: Pick<Transcript, "taskId" | "title">,
  { dataDir, io, masksSecrets }: ConvertOptions,
): Promise<boolean> {
  const { files, problems } = await readSessionFiles({ paths: [file], changedAt: 0 });
  const read = readTranscripts(files, { masksSecrets });
  warn([...problems, ...read.problems], io);
  const [transcript] = read.transcripts;
  if (transcript === undefined) return false;
  await writeJournal({ ...transcript, ...task }, dataDir);
  return true;
}

async function writeJournal(transcript: Transcript, dataDir: string): Promise<void> {
  const folder = taskFolder(dataDir, transcript.taskId);
  await mkdir(folder, { recursive: true });
  const lines = recordsOfTranscript(transcript).map((record) => `${encodeLine(draftOf(record))}\n`);
  await writeFile(path.join(folder, JOURNAL), lines.join(""), { mode: 0o600 });
}

/** The record without its empty parts. */
function draftOf(record: JournalRecord): JournalDraft {
  if (record.kind !== "commit") return record;
  const { seq, kind, at, cause, before, after, ...parts } = record;
  return { seq, kind, at, ...(cause !== undefined && { cause }), before, after, ...nonEmptyParts(parts) };
}

function warn(problems: readonly TranscriptProblem[], io: Pick<Io, "stderr">): void {
  for (const { where, what } of problems.slice(0, PROBLEMS_MAX))
    io.stderr.write(`[transcripts] ${printable(where)}: ${printable(what)}\n`);
  const left = problems.length - PROBLEMS_MAX;
  if (left > 0) io.stderr.write(`[transcripts] ${left} more parts were not read.\n`);
}
