import { stat } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { TaskHistory } from "../../runtime/task-policies/history.ts";
import { fileJournal } from "../../store/journal/file.ts";
import { readJournal } from "../../store/journal/reader.ts";
import { conversationEvents } from "../../tools/temporal/conversation-events.ts";
import { TemporalError } from "../../tools/temporal/error.ts";
import type { PolicyEvent } from "../../tools/temporal/event.ts";
import { TaskEvents } from "../../tools/temporal/task-events.ts";
import { ROO_FILES } from "../../wire/roo/error.ts";
import { CliError, errorMessage } from "../error.ts";
import { readLogText } from "../text-file.ts";
import { isObject, type LocatedValue, logError, parseValues } from "./json-text.ts";
import { FILE_BYTES_MAX, isJournal, JOURNAL } from "./recorded-log.ts";
import { readRecordedSessions } from "./recorded-session.ts";

/** The events of a recorded log, for policies over time. */
export interface RecordedEvents {
  readonly file: string;
  /** The unit of an event's `seq`: records of a journal from 0, entries of a conversation from 0. */
  readonly counts: "record" | "entry";
  readonly events: readonly PolicyEvent[];
}

/**
 * Read the events of a journal, of a session or a conversation of any agent, or of a task folder that has one of them.
 *
 * @throws CliError for a file that is neither
 */
export async function readRecordedEvents(given: string): Promise<RecordedEvents> {
  const found = await stat(given).catch((cause: unknown) => {
    throw new CliError(`${given}: can't be read (${errorMessage(cause)}). Give a recorded log.`, { cause });
  });
  if (!found.isDirectory()) return readEvents(given, found.size);
  for (const name of [JOURNAL, ROO_FILES.api]) {
    const file = path.join(given, name);
    const inside = await stat(file).catch(() => undefined);
    if (inside?.isFile()) return readEvents(file, inside.size);
  }
  throw new CliError(
    `${given}: expected ${JOURNAL} or ${ROO_FILES.api} in the folder, found none. Give a log or the folder of one task.`,
  );
}

async function readEvents(file: string, size: number): Promise<RecordedEvents> {
  if (size > FILE_BYTES_MAX)
    throw new CliError(
      `${file}: expected at most ${FILE_BYTES_MAX} bytes, got ${size}. Give a part of the log.`,
    );
  const text = await readLogText(file);
  if (isJournal(text)) return { file, counts: "record", events: await journalEvents(file) };
  const [session, ...others] = await readRecordedSessions(file);
  if (others.length > 0)
    throw new CliError(
      `${file}: expected one session, got ${others.length + 1}. Policies are checked on one session. Give a file with one session.`,
    );
  if (session !== undefined) {
    const reader = new TaskEvents(session.workspace === undefined ? {} : { workspace: session.workspace });
    const events = session.commits.flatMap((commit) => reader.eventsIn(commit));
    return { file, counts: "record", events };
  }
  const entries = parseValues(text, file).map((value, seq) => ({ ...entryOf(file, value), seq }));
  return { file, counts: "entry", events: conversationEvents(entries) };
}

/**
 * The events by which the calls of a task were judged, including events of its parent and its subtasks, if their journals are
 * beside the file. Else its own.
 */
async function journalEvents(file: string): Promise<readonly PolicyEvent[]> {
  const folder = path.dirname(file);
  const journalIn = (dir: string) => fileJournal({ dir, file: path.basename(file) });
  const events: PolicyEvent[] = [];
  let taskId = "";
  let reader = new TaskEvents();
  for await (const record of readJournal(journalIn(folder), { onTail: () => undefined })) {
    if (record.kind === "header") {
      taskId = record.taskId;
      if (record.workspace !== undefined) reader = new TaskEvents({ workspace: record.workspace });
    }
    if (record.kind === "commit") events.push(...reader.eventsIn(record));
  }
  const journalOf = (id: string) => journalIn(id === taskId ? folder : path.join(folder, "..", id));
  try {
    const all: PolicyEvent[] = [];
    for await (const event of new TaskHistory(journalOf).of(taskId)) all.push(event);
    return all;
  } catch (error) {
    if (error instanceof TemporalError && error.code === "POLICY_HISTORY") return events;
    throw error;
  }
}

const Block = z.object({
  type: z.string(),
  id: z.string().exactOptional(),
  name: z.string().exactOptional(),
  input: z.record(z.string(), z.unknown()).exactOptional(),
  tool_use_id: z.string().exactOptional(),
  is_error: z.boolean().exactOptional(),
});
const ConversationEntry = z.object({
  role: z.enum(["user", "assistant"]),
  content: z.union([z.string(), z.array(Block)]),
});

function entryOf(file: string, { value, where }: LocatedValue) {
  // Some agents wrap each entry in a record of their own.
  const entry = isObject(value) && value.role === undefined ? value.message : value;
  const read = ConversationEntry.safeParse(entry);
  if (read.success) return read.data;
  throw logError(file, where, value, "a journal, or an entry of a conversation ({role, content})");
}
