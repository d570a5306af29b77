import { isClaudeCode, readClaudeCode } from "./claude-code.ts";
import { isCodex, readCodex } from "./codex.ts";
import { groupedBy } from "./grouped.ts";
import { isInspect, readInspect } from "./inspect-log.ts";
import { type Fields, fieldsOf } from "./json-fields.ts";
import { headOf, type LoadedFile, loadFile } from "./loaded-file.ts";
import { maskedTranscript } from "./mask-secrets.ts";
import { isOtel, readOtel } from "./otel-genai.ts";
import { isPi, readPi } from "./pi.ts";
import { isRoo, readRoo } from "./roo.ts";
import type { Transcript, TranscriptFile, TranscriptProblem } from "./transcript.ts";

/** The sessions in some files, and the parts of the files that were not read. */
export interface ReadTranscripts {
  /** A parent comes before the sessions that it started. */
  readonly transcripts: readonly Transcript[];
  readonly problems: readonly TranscriptProblem[];
}

/** Options of {@link readTranscripts}. */
interface ReadOptions {
  /** Whether secrets that are known by their form, or by the name before them, are replaced by `[masked]`. Default false. */
  readonly masksSecrets?: boolean;
}

/**
 * Read sessions of other agents. The format of a file is found by its content. Give the files of one session together: its
 * subagents, or a task folder. Nothing throws: a damaged line is a problem, and a record of an unknown kind is an entry of the
 * kind `raw`.
 *
 * @example
 * ```ts
 * import { readTranscripts } from "signalbox/trace";
 * const { transcripts, problems } = readTranscripts([{ name: "notes.txt", content: "hello" }]);
 * console.log(transcripts.length, problems[0]?.what.split(",")[0]); // 0 expected a session of a known agent
 * ```
 */
export function readTranscripts(
  files: readonly TranscriptFile[],
  { masksSecrets = false }: ReadOptions = {},
): ReadTranscripts {
  const loaded = files.map(loadFile);
  const others: TranscriptProblem[] = [];
  const read = [...groupedBy(loaded, formatOf)].flatMap(([format, group]) => {
    const sessions = format?.read(group) ?? [];
    const what = format === undefined ? UNKNOWN : EMPTY;
    const silent = group.filter(({ problems }) => sessions.length === 0 && problems.length === 0);
    others.push(...silent.map(({ name }) => ({ where: name, what })));
    return sessions;
  });
  const transcripts = withChildren(withOwnIds(read));
  return {
    transcripts: masksSecrets ? transcripts.map(maskedTranscript) : transcripts,
    problems: [...loaded, ...transcripts].flatMap(({ problems }) => problems).concat(others),
  };
}

/** A format of files, by the first records of a file or its whole value. */
interface Format {
  readonly is: (record: Fields, file: LoadedFile) => boolean;
  readonly read: (files: readonly LoadedFile[]) => readonly Transcript[];
}

const FORMATS: readonly Format[] = [
  { is: isClaudeCode, read: readClaudeCode },
  { is: isCodex, read: readCodex },
  {
    is: isInspect,
    read: (files) => files.flatMap(({ value }) => readInspect(fieldsOf(value))),
  },
  { is: isOtel, read: readOtel },
  { is: isRoo, read: readRoo },
  { is: isPi, read: readPi },
];

function formatOf(file: LoadedFile): Format | undefined {
  const records = headOf(file);
  return FORMATS.find(({ is }) => records.some((record) => is(fieldsOf(record), file)));
}

const EMPTY = "expected at least one session, found none";
const UNKNOWN =
  "expected a session of a known agent, got another file. See the list of formats in the guide.";

/** Two files may have sessions of the same id, such as a copy: the later one gets another id. */
function withOwnIds(transcripts: readonly Transcript[]): readonly Transcript[] {
  const counts = new Map<string, number>();
  return transcripts.map((transcript) => {
    const count = (counts.get(transcript.taskId) ?? 0) + 1;
    counts.set(transcript.taskId, count);
    return count === 1 ? transcript : { ...transcript, taskId: `${transcript.taskId}.copy${count}` };
  });
}

/** The calls that started sessions, with the ids of the sessions that they started. */
function withChildren(transcripts: readonly Transcript[]): readonly Transcript[] {
  const children = new Map(
    transcripts.flatMap(({ parent, taskId }) =>
      parent === undefined ? [] : [[`${parent.taskId} ${parent.callId}`, taskId] as const],
    ),
  );
  if (children.size === 0) return transcripts;
  return transcripts.map((transcript) => ({
    ...transcript,
    entries: transcript.entries.map((entry) => {
      const childId = entry.kind === "call" ? children.get(`${transcript.taskId} ${entry.id}`) : undefined;
      return childId === undefined ? entry : { ...entry, childId };
    }),
  }));
}
