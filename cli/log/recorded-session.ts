import { readTranscripts } from "../../visualize/trace/transcripts/read-transcripts.ts";
import { recordsOfTranscript } from "../../visualize/trace/transcripts/records.ts";
import type { CommitRecord } from "../../wire/journal/record.ts";
import { CliError } from "../error.ts";
import { isSessionName, readSessionFiles, sessionAt } from "../transcripts/session-files.ts";

/** The commits of a session of another agent, without its subagents, and its workspace. */
export interface RecordedSession {
  readonly id: string;
  readonly commits: readonly CommitRecord[];
  readonly workspace: string | undefined;
}

/**
 * Read a file as sessions of another agent. Empty for any other file, and for lists of messages and entries, which are
 * checked as they are.
 *
 * @throws CliError for a session with a part that can't be read
 */
export async function readRecordedSessions(file: string): Promise<readonly RecordedSession[]> {
  if (!isSessionName(file)) return [];
  const { files, problems: unread } = await readSessionFiles(await sessionAt(file));
  const { transcripts, problems } = readTranscripts(files);
  if (transcripts.some(({ entries }) => entries.some(({ kind }) => kind === "message" || kind === "entry")))
    return [];
  const [problem] = [...unread, ...problems];
  if (transcripts.length > 0 && problem !== undefined)
    throw new CliError(`${problem.where}: ${problem.what}. Repair or remove this part to check the rest.`);
  const ids = new Set(transcripts.map(({ taskId }) => taskId));
  const roots = transcripts.filter(({ parent }) => parent === undefined || !ids.has(parent.taskId));
  return roots.map((root) => ({
    id: root.taskId,
    commits: recordsOfTranscript(root).filter((record) => record.kind === "commit"),
    workspace: root.workspace,
  }));
}
