import { randomUUID } from "node:crypto";
import { textBlock } from "../../machines/conversation/blocks.ts";
import { subtaskOfOriginal, uncertain } from "../../machines/conversation/notices.ts";
import type { BackgroundSubtask } from "../../machines/task/task.events.ts";
import type { RecordedCall } from "../../machines/tool-call/call.ts";
import type { JournalDriver } from "../../ports/journal.ts";
import {
  type CommitRecord,
  type HeaderRecord,
  JOURNAL_VERSION,
  type JournalDraft,
  type JournalRecord,
  recordedRules,
} from "../../wire/journal/record.ts";
import { encodeLine } from "../journal/line.ts";
import { readJournal } from "../journal/reader.ts";
import { type ReplayedTask, replayJournal } from "../recovery/replay.ts";
import { TaskHistoryError } from "./error.ts";
import type { HistoryStore } from "./history-store.ts";
import { unknownTask } from "./lookup.ts";
import { assertChosenId } from "./task-folder.ts";

export interface ForkOptions {
  /** Number of the last shared record, from 1. Default: the last valid one. */
  readonly at?: number;
  /** Id of the new task. Default: a new UUID. */
  readonly newId?: string;
  /** Creation time of the new task, in ms since the epoch. Default: now. */
  readonly createdAt?: number;
}

/** Result of a fork. */
export interface ForkedTask {
  readonly id: string;
  readonly forkedFrom: { readonly taskId: string; readonly seq: number };
}

/** Records per write. */
const BATCH_RECORDS = 256;

/**
 * Create a task from the first records of another, with the same numbers. The original may be running, damaged or
 * completed, and stays unchanged. The new task is durable when it resolves; an earlier crash leaves no task.
 *
 * A tool call that runs at that record is uncertain in the fork, unless its result is recorded; so is one that is
 * delegated to a subtask, which belongs to the original (L12). A subtask in the background has failed for the fork.
 *
 * @throws TaskHistoryError `TASK_UNKNOWN`; `FORK_INVALID` if there is no such record; `TASK_EXISTS` if the new id is
 * taken; `ID_INVALID`, `HISTORY_IO`
 * @throws JournalError as `readJournal` does, and for failed writes
 */
export async function forkTask(
  store: HistoryStore,
  id: string,
  { at, newId = randomUUID(), createdAt = Date.now() }: ForkOptions = {},
): Promise<ForkedTask> {
  assertChosenId(newId);
  const exists = async (task: string): Promise<boolean> => (await store.bytes(task)) !== undefined;
  if (!(await exists(id))) throw unknownTask(store, id);
  if (await exists(newId)) throw existsError(newId);
  const source = store.journal(id);
  const until = expectRecord(at);
  const replayed = await replayJournal(source, until === undefined ? {} : { until });
  if (replayed === undefined) throw unknownTask(store, id);
  const { lastSeq: seq } = replayed;
  if (seq === 0 || (until !== undefined && until > seq)) throw await beyondEndError(source, id, until);
  const forkedFrom = { taskId: id, seq };
  const name = (await store.facts(id)).name ?? replayed.header.title;
  const header = { taskId: newId, createdAt, forkedFrom, ...(name !== undefined && { title: name }) };
  const lines = linesOf(source, replayed, header);
  if (!(await store.createFork(newId, lines, replayed.header.parent?.rootId ?? id))) throw existsError(newId);
  return { id: newId, forkedFrom };
}

type HeaderChanges = Pick<HeaderRecord, "taskId" | "createdAt" | "forkedFrom" | "title">;

/** The lines of a fork, in batches. */
async function* linesOf(
  source: JournalDriver,
  replayed: ReplayedTask,
  changed: HeaderChanges,
): AsyncGenerator<readonly string[]> {
  let lines: string[] = [];
  for await (const record of readJournal(source, { onTail: () => undefined })) {
    if (record.seq > replayed.lastSeq) break;
    lines.push(encodeLine(draftOf(record, changed)));
    if (lines.length < BATCH_RECORDS) continue;
    yield lines;
    lines = [];
  }
  yield [...lines, ...subtaskLines(replayed)];
}

/**
 * The record of the fork: the header without a parent but with the rules of a subtask, a commit without the command of the
 * original's inbox, any other record as read, and all of the current version.
 */
function draftOf(record: JournalRecord, changed: HeaderChanges): JournalDraft {
  if (record.kind === "version") return { ...record, version: JOURNAL_VERSION };
  if (record.kind === "commit") return withoutCommand(record);
  if (record.kind !== "header") return record;
  const { parent: _parent, ...header } = record;
  return { ...header, ...recordedRules(record), ...changed, version: JOURNAL_VERSION };
}

/** The fork has an inbox of its own, whose positions begin again. */
function withoutCommand({ inbox: _inbox, ...record }: CommitRecord): JournalDraft {
  return record;
}

/** The record that makes delegated tool calls uncertain, and ends the subtasks in the background. */
function subtaskLines({ recorded, lastSeq, lastAt, state }: ReplayedTask): readonly string[] {
  const delegated = recorded.calls.filter((call) => call.phase === "delegated");
  const { backgroundSubtasks = [] } = recorded.facts;
  const isLeft = backgroundSubtasks.some(({ end }) => end === undefined);
  if (delegated.length === 0 && !isLeft) return [];
  const calls = delegated.map(
    ({ callId, toolUseId, name, ask, row }): RecordedCall => ({
      callId,
      toolUseId,
      name,
      ask,
      ...(row !== undefined && { row }),
      phase: "settled",
      outcome: { kind: "uncertain", content: [textBlock(uncertain(name))] },
    }),
  );
  const newest = recorded.log.at(-1)?.ts ?? lastAt;
  const log = delegated.map(({ callId, name }, index) => ({
    type: "message.appended" as const,
    message: {
      ts: newest + 1 + index,
      type: "say" as const,
      say: "error" as const,
      text: uncertain(name),
      callId,
    },
  }));
  const cause = { type: "task.forked", at: lastAt };
  const record: JournalDraft = {
    seq: lastSeq + 1,
    kind: "commit",
    at: lastAt,
    cause,
    before: state,
    after: state,
    log,
    calls,
    ...(isLeft && { facts: { backgroundSubtasks: backgroundSubtasks.map(endedInFork) } }),
  };
  return [encodeLine(record)];
}

/** The next request of the fork tells the model. */
function endedInFork({ rests: _, ...subtask }: BackgroundSubtask): BackgroundSubtask {
  return { ...subtask, end: subtask.end ?? { kind: "failed", message: subtaskOfOriginal() } };
}

function expectRecord(at: number | undefined): number | undefined {
  if (at === undefined || (Number.isSafeInteger(at) && at > 0)) return at;
  throw new TaskHistoryError(
    "FORK_INVALID",
    `A task cannot be forked at ${at}: record 0 is its header. Choose the number of a record, from 1.`,
  );
}

async function beyondEndError(
  source: JournalDriver,
  id: string,
  at: number | undefined,
): Promise<TaskHistoryError> {
  const end = (await replayJournal(source))?.lastSeq ?? 0;
  if (end === 0)
    return new TaskHistoryError(
      "FORK_INVALID",
      `Task ${id} cannot be forked: it has no record yet. Start it first.`,
    );
  return new TaskHistoryError(
    "FORK_INVALID",
    `Task ${id} cannot be forked at ${at}. Choose the number of a valid record, from 1 to ${end}.`,
  );
}

const existsError = (id: string): TaskHistoryError =>
  new TaskHistoryError("TASK_EXISTS", `Task ${id} already exists. Choose another id.`);
