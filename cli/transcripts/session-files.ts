import { type Dirent, existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { groupedBy } from "../../visualize/trace/transcripts/grouped.ts";
import { TRANSCRIPT_BYTES_MAX } from "../../visualize/trace/transcripts/loaded-file.ts";
import type { TranscriptFile, TranscriptProblem } from "../../visualize/trace/transcripts/transcript.ts";
import { ROO_FILES } from "../../wire/roo/error.ts";
import { errorMessage } from "../error.ts";

/** The files of one session and of its subagents. */
export interface SessionFiles {
  readonly paths: readonly string[];
  /** Time of the newest change, in ms since 1970. */
  readonly changedAt: number;
}

/** Maximum session files below one folder. Further files are not read. */
const FILES_MAX = 20_000;

/** The files of a task folder of Roo Code or Cline. */
const TASK_FILES = new Set<string>(Object.values(ROO_FILES));

/** Files of a session beside it that are no sessions. */
const OTHER_FILES = /^(?:task_metadata|settings|sessions-index|checkpoint.*)\.json$/;

/** Whether a file may be a session of an agent, by its name. */
export const isSessionName = (name: string): boolean => /\.(?:jsonl|json|eval|jsonl\.zst)$/.test(name);

/** The sessions below a folder, newest first. Links to folders are not followed. A missing folder has none. */
export async function sessionsIn(folder: string): Promise<readonly SessionFiles[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const entries = found.filter(isSessionFile).slice(0, FILES_MAX);
  const files = entries.map(({ parentPath, name }) => path.join(parentPath, name));
  const sessions = await Promise.all([...groupedBy(files, sessionOf).values()].map(withTime));
  return sessions.sort((one, other) => other.changedAt - one.changedAt);
}

const isSessionFile = (entry: Dirent): boolean =>
  entry.isFile() && isSessionName(entry.name) && !OTHER_FILES.test(entry.name);

/** The path that the files of a session share: the folder of a task, or the file of the session. */
function sessionOf(file: string): string {
  const folder = path.dirname(file);
  if (TASK_FILES.has(path.basename(file))) return folder;
  const isSubagent = folder.split(path.sep).includes("subagents");
  return isSubagent ? `${folder.slice(0, folder.lastIndexOf(`${path.sep}subagents`))}.jsonl` : file;
}

async function withTime(paths: readonly string[]): Promise<SessionFiles> {
  const times = await Promise.all(
    paths.map((file) =>
      stat(file).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  );
  // The file of a session comes before the files of its subagents.
  return { paths: [...paths].sort((one, other) => one.length - other.length), changedAt: Math.max(...times) };
}

/** The files of the session that a file belongs to: with the subagents of a session of Claude Code. */
export async function sessionAt(file: string): Promise<SessionFiles> {
  const beside = path.join(file.replace(/\.jsonl$/, ""), "subagents");
  if (file.endsWith(".jsonl") && existsSync(beside)) {
    const subagents = await sessionsIn(beside);
    return withTime([file, ...subagents.flatMap(({ paths }) => paths)]);
  }
  return withTime([file]);
}

/** Read the files of a session. A file that can't be read is a problem. */
export async function readSessionFiles({ paths }: SessionFiles): Promise<{
  readonly files: readonly TranscriptFile[];
  readonly problems: readonly TranscriptProblem[];
}> {
  const files: TranscriptFile[] = [];
  const problems: TranscriptProblem[] = [];
  for (const name of paths) {
    try {
      const { size } = await stat(name);
      if (size > TRANSCRIPT_BYTES_MAX)
        problems.push({ where: name, what: `expected at most ${TRANSCRIPT_BYTES_MAX} bytes, got ${size}` });
      else files.push({ name, content: await readFile(name) });
    } catch (error) {
      problems.push({ where: name, what: errorMessage(error) });
    }
  }
  return { files, problems };
}
