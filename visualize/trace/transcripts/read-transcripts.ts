import { isClaudeCode, readClaudeCode } from "./claude-code.ts";
import { isCodex, readCodex } from "./codex.ts";
import { type Fields, fieldsOf, jsonLines } from "./json-fields.ts";
import { maskedTranscript } from "./mask-secrets.ts";
import type { TextFile, Transcript, TranscriptFile, TranscriptProblem } from "./transcript.ts";

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

/** Maximum bytes of a file. */
export const TRANSCRIPT_BYTES_MAX = 256 * 1024 * 1024;

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
  const problems: TranscriptProblem[] = [];
  const groups = new Map<Format, TextFile[]>();
  for (const file of files) {
    const decoded = decodedFile(file);
    const format = "text" in decoded ? formatOf(decoded.text) : undefined;
    if ("what" in decoded) problems.push(decoded);
    else if (format === undefined) problems.push({ where: file.name, what: UNKNOWN });
    else groups.set(format, [...(groups.get(format) ?? []), decoded]);
  }
  const transcripts = [...groups].flatMap(([format, group]) => format.read(group));
  const own = withOwnIds(transcripts);
  return {
    transcripts: masksSecrets ? own.map(maskedTranscript) : own,
    problems: [...problems, ...transcripts.flatMap((transcript) => transcript.problems)],
  };
}

/** A format of text files, by the first records of a file. */
interface Format {
  readonly is: (record: Fields) => boolean;
  readonly read: (files: readonly TextFile[]) => readonly Transcript[];
}

const FORMATS: readonly Format[] = [
  { is: isClaudeCode, read: readClaudeCode },
  { is: isCodex, read: readCodex },
];

const UNKNOWN =
  "expected a session of a known agent, got another file. See the list of formats in the guide.";

/** The characters and the lines of a file by which its format is found. */
const HEAD_MAX_CHARS = 4 * 1024 * 1024;
const HEAD_MAX_LINES = 50;

function formatOf(text: string): Format | undefined {
  const head = text.slice(0, HEAD_MAX_CHARS).split("\n", HEAD_MAX_LINES).join("\n");
  const records = jsonLines(head, "").flatMap((line) => ("fields" in line ? [fieldsOf(line.fields)] : []));
  return FORMATS.find(({ is }) => records.some(is));
}

const UTF_8 = new TextDecoder();

function decodedFile({ name, content }: TranscriptFile): TextFile | TranscriptProblem {
  const size = content.length;
  if (size > TRANSCRIPT_BYTES_MAX)
    return { where: name, what: `expected at most ${TRANSCRIPT_BYTES_MAX} bytes, got ${size}` };
  const text = typeof content === "string" ? content.replace(/^\uFEFF/, "") : UTF_8.decode(content);
  return { name, text };
}

/** Two files may have sessions of the same id, such as a copy: the later one gets another id. */
function withOwnIds(transcripts: readonly Transcript[]): readonly Transcript[] {
  const counts = new Map<string, number>();
  return transcripts.map((transcript) => {
    const count = (counts.get(transcript.taskId) ?? 0) + 1;
    counts.set(transcript.taskId, count);
    return count === 1 ? transcript : { ...transcript, taskId: `${transcript.taskId}.copy${count}` };
  });
}
