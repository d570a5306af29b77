import { readTranscripts } from "../../visualize/trace/transcripts/read-transcripts.ts";
import { recordsOfTranscript } from "../../visualize/trace/transcripts/records.ts";
import type { CommitRecord } from "../../wire/journal/record.ts";
import { isSessionName, readSessionFiles, sessionAt } from "../transcripts/session-files.ts";

/** The commits of a session of another agent, without its subagents, and its workspace. */
export interface RecordedSession {
  readonly commits: readonly CommitRecord[];
  readonly workspace: string | undefined;
}

/**
 * Read a file as a session of another agent. Undefined for any other file, and for lists of messages and entries, which are checked
 * as they are.
 */
export async function readRecordedSession(file: string): Promise<RecordedSession | undefined> {
  if (!isSessionName(file)) return undefined;
  const { files } = await readSessionFiles(await sessionAt(file));
  const [session] = readTranscripts(files).transcripts;
  if (session === undefined || session.entries.some(({ kind }) => kind === "message" || kind === "entry"))
    return undefined;
  const commits = recordsOfTranscript(session).filter((record) => record.kind === "commit");
  return { commits, workspace: session.workspace };
}
