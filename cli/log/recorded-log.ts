import { stat } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import type { LogEvent } from "../../machines/message/log.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import { fileJournal } from "../../store/journal/file.ts";
import { type JournalTail, readJournal } from "../../store/journal/reader.ts";
import { CommitMonitor, monitorCommits, type RecordedCommit } from "../../verify/monitor/commits.ts";
import { monitorConversation, type RecordedEntry } from "../../verify/monitor/conversation.ts";
import { monitorMessages } from "../../verify/monitor/messages.ts";
import type { LogViolation } from "../../verify/monitor/violation.ts";
import { logEventSchema } from "../../wire/log-event.ts";
import { messageSchema } from "../../wire/message-schema.ts";
import { ROO_FILES } from "../../wire/roo/error.ts";
import { parseRooFile } from "../../wire/roo/from-roo.ts";
import { CliError, errorMessage } from "../error.ts";
import { readLogText } from "../text-file.ts";
import { checkedValue } from "./checked-value.ts";
import { isObject, type LocatedValue, logError, parseValues } from "./json-text.ts";
import { type RecordedSession, readRecordedSessions } from "./recorded-session.ts";

/** The check of a recorded log. */
export interface CheckedLog {
  readonly file: string;
  readonly kind: "rows" | "conversation" | "changes" | "journal" | "session";
  /** The session's id, if the file has several sessions. */
  readonly session?: string;
  /** Number of messages, entries, events or records. */
  readonly length: number;
  /** The unit of a violation's `at`: `row` or `entry` from 0; `record` by its number in the journal. */
  readonly counts: "row" | "entry" | "change" | "record";
  readonly violations: readonly LogViolation[];
  /** The unreadable end of a journal. A torn one was never acknowledged. */
  readonly tail?: Pick<JournalTail, "kind" | "line" | "at" | "reason">;
}

/** Larger files are refused: they are read whole. */
export const FILE_BYTES_MAX = 256 * 1024 * 1024;
export const JOURNAL = "journal.jsonl";

/**
 * Check a recorded log: a file of messages, conversation entries or log events, a journal, or a task folder of Roo Code
 * or of signalbox. Writes nothing.
 *
 * @throws CliError for a file that is no log: line, byte, what was expected and what was found
 */
export async function checkRecordedLog(given: string): Promise<readonly CheckedLog[]> {
  const found = await statOf(given);
  if (!found.isDirectory()) return checkFile(given, found.size);
  const files = [ROO_FILES.ui, ROO_FILES.api, JOURNAL].map((name) => path.join(given, name));
  const checked: CheckedLog[] = [];
  for (const file of files) {
    const inside = await stat(file).catch(() => undefined);
    if (inside?.isFile()) checked.push(...(await checkFile(file, inside.size)));
  }
  if (checked.length > 0) return checked;
  throw new CliError(
    `${given}: expected ${ROO_FILES.ui}, ${ROO_FILES.api} or ${JOURNAL} in the folder, found none. Give a log or the folder of one task.`,
  );
}

async function statOf(file: string) {
  try {
    return await stat(file);
  } catch (cause) {
    throw new CliError(`${file}: can't be read (${errorMessage(cause)}). Give a recorded log.`, { cause });
  }
}

async function checkFile(file: string, size: number): Promise<readonly CheckedLog[]> {
  if (size > FILE_BYTES_MAX)
    throw new CliError(
      `${file}: expected at most ${FILE_BYTES_MAX} bytes, got ${size}. Give a part of the log.`,
    );
  const text = await readLogText(file).catch((cause: unknown) => {
    throw new CliError(`${file}: can't be read (${errorMessage(cause)}). Give a recorded log.`, { cause });
  });
  const name = path.basename(file);
  if (name === ROO_FILES.ui || name === ROO_FILES.api) return [checkList(file, text, name === ROO_FILES.ui)];
  if (isJournal(text)) return [await checkJournal(file)];
  const sessions = await readRecordedSessions(file);
  if (sessions.length === 0) return [checkValues(file, parseValues(text, file))];
  return sessions.map((session) => ({
    ...checkSession(file, session),
    ...(sessions.length > 1 && { session: session.id }),
  }));
}

export const isJournal = (text: string): boolean => /^\{[^\n]*"kind":"header"/.test(text.slice(0, 4_096));

/** A file of Roo Code: an array, whatever its elements look like. */
function checkList(file: string, text: string, isRows: boolean): CheckedLog {
  const values = parseValues(text, file);
  // The parser reports what a file of Roo Code must contain.
  if (values.length === 0) parseRooFile(text, file);
  return isRows ? checkRows(file, values) : checkEntries(file, values);
}

function checkValues(file: string, values: readonly LocatedValue[]): CheckedLog {
  const [first] = values;
  if (first === undefined) return { file, kind: "rows", length: 0, counts: "row", violations: [] };
  if (!isObject(first.value)) throw logError(file, first.where, first.value);
  const { role, message, type } = first.value;
  if (role !== undefined || (isObject(message) && message.role !== undefined))
    return checkEntries(file, values);
  if (type === "ask" || type === "say") return checkRows(file, values);
  if (typeof type === "string" && /^(message|log)\./.test(type)) return checkChanges(file, values);
  throw logError(file, first.where, first.value);
}

function checkRows(file: string, values: readonly LocatedValue[]): CheckedLog {
  const rows = values.map((value) => checkedValue<ClineMessage>(messageSchema, value, file, "a message"));
  return { file, kind: "rows", length: rows.length, counts: "row", violations: monitorMessages(rows) };
}

/** The events come one by one: the log is settled only after the last of them. */
function checkChanges(file: string, values: readonly LocatedValue[]): CheckedLog {
  const log = values.map((value) => checkedValue<LogEvent>(logEventSchema, value, file, "a change of a log"));
  const monitor = new CommitMonitor();
  for (const event of log) monitor.addChange(event);
  monitor.settle();
  const violations = monitor.violations;
  return { file, kind: "changes", length: log.length, counts: "change", violations };
}

const optional = z.string().exactOptional();
// Fields of other types are ignored.
const blockSchema = z.preprocess(
  (block) => (isObject(block) ? onlyStrings(block) : block),
  z.object({
    type: z.string(),
    text: optional,
    thinking: optional,
    signature: optional,
    data: optional,
    id: optional,
    name: optional,
    tool_use_id: optional,
  }),
);
const onlyStrings = (block: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(block).filter(([, value]) => typeof value === "string"));
const recordedSchema = z.object({
  role: z.enum(["user", "assistant"]),
  content: z.union([z.string(), z.array(blockSchema)]),
});

function checkEntries(file: string, values: readonly LocatedValue[]): CheckedLog {
  const sent = withoutHidden(values);
  const entries = sent.map(({ value, where }) => entryOf(file, value, where));
  const violations = monitorConversation(entries).map((one) => ({
    ...one,
    at: values.indexOf(sent[one.at] ?? { value: undefined, where: "" }),
  }));
  return { file, kind: "conversation", length: values.length, counts: "entry", violations };
}

function entryOf(file: string, value: unknown, where: string): RecordedEntry {
  // Some agents wrap each entry in a record of their own.
  const entry = isObject(value) && value.role === undefined ? value.message : value;
  const read = recordedSchema.safeParse(entry);
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  throw logError(
    file,
    where,
    value,
    `an entry with role "user" or "assistant" and content (${issue?.path.join(".") || "it"}: ${issue?.message})`,
  );
}

/** Roo Code keeps entries that a summary or a truncation marker replaces, and does not send them. */
function withoutHidden(values: readonly LocatedValue[]): readonly LocatedValue[] {
  const objects = values.map(({ value }) => value).filter(isObject);
  const ids = (flag: string, id: string) =>
    new Set(objects.filter((one) => one[flag] === true && typeof one[id] === "string").map((one) => one[id]));
  const summaries = ids("isSummary", "condenseId");
  const marks = ids("isTruncationMarker", "truncationId");
  return values.filter(
    ({ value }) =>
      !isObject(value) || !(summaries.has(value.condenseParent) || marks.has(value.truncationParent)),
  );
}

/** A session of another agent, as the journal that is made from it. */
function checkSession(file: string, { commits }: RecordedSession): CheckedLog {
  const violations = monitorCommits(commits).map((one) => ({ ...one, at: commits[one.at]?.seq ?? one.at }));
  return { file, kind: "session", length: commits.length + 1, counts: "record", violations };
}

async function checkJournal(file: string): Promise<CheckedLog> {
  const driver = fileJournal({ dir: path.dirname(file), file: path.basename(file) });
  const monitor = new CommitMonitor();
  const numbers: number[] = [];
  const tails: JournalTail[] = [];
  let length = 0;
  for await (const record of readJournal(driver, { onTail: (found) => tails.push(found) })) {
    length += 1;
    if (record.kind !== "commit") continue;
    numbers.push(record.seq);
    const commit: RecordedCommit = record;
    monitor.addCommit(commit);
  }
  const violations = monitor.violations.map((one) => ({ ...one, at: numbers[one.at] ?? one.at }));
  const [tail] = tails;
  return { file, kind: "journal", length, counts: "record", violations, ...(tail !== undefined && { tail }) };
}
