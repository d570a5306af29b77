import { DEFAULT_MODE } from "../../machines/task/mode.ts";
import { NO_USAGE } from "../../machines/task/request.ts";
import { settleRecorded } from "../../machines/task/settlement.ts";
import type { JournalDriver } from "../../ports/journal.ts";
import { restReason } from "../../wire/rest-reason.ts";
import { ExchangeError, ROO_FILES, type RooFile } from "../../wire/roo/error.ts";
import type { HistoryItem } from "../../wire/roo/history-item.ts";
import { toRoo } from "../../wire/roo/to-roo.ts";
import type { JournalTail } from "../journal/reader.ts";
import { type ReplayedTask, replayJournal } from "../recovery/replay.ts";
import { conversationOf } from "./conversation.ts";
import { writeFiles } from "./files.ts";

/** Options of {@link exportFolder}. */
export interface ExportOptions {
  /** Whether to replace existing files. Default false. */
  readonly force?: boolean;
}

/** Result of an export: numbers of messages and entries. */
export interface Exported {
  readonly rows: number;
  readonly entries: number;
  /** The unusable end of the journal, if any; it was not exported. */
  readonly tail?: JournalTail;
}

/**
 * Export a journal to a Roo Code task folder (`ui_messages.json`, `api_conversation_history.json`, `history_item.json`).
 * Writes all files or none, and creates `dir` if necessary. The journal is only read. A task that is not at rest is exported as
 * opening it would bring it to rest: interrupted, with the ask to resume (L1).
 *
 * @throws ExchangeError `EXCHANGE_EXISTS` (without `force`), `EXCHANGE_EMPTY` (the journal has no messages),
 * `EXCHANGE_IO`; JournalError if the journal cannot be read
 */
export async function exportFolder(
  driver: Pick<JournalDriver, "path" | "read">,
  dir: string,
  { force = false }: ExportOptions = {},
): Promise<Exported> {
  const replayed = await replayJournal(driver);
  if (replayed === undefined || replayed.recorded.log.length === 0)
    throw new ExchangeError(
      "EXCHANGE_EMPTY",
      `${driver.path}: expected a journal with messages, found none. Check the task's id.`,
    );
  const { header, recorded, lastAt, tail } = replayed;
  // Nobody runs the copy.
  const messages = settleRecorded(header.taskId, recorded, lastAt)?.log ?? recorded.log;
  const { ui, api } = toRoo({ messages, conversation: conversationOf(recorded) });
  const [uiText, apiText] = [JSON.stringify(ui), JSON.stringify(api)];
  const size = Buffer.byteLength(uiText) + Buffer.byteLength(apiText);
  const files = new Map<RooFile, string>([
    [ROO_FILES.ui, uiText],
    [ROO_FILES.api, apiText],
    [ROO_FILES.history, JSON.stringify(historyItemOf(replayed, size))],
  ]);
  await writeFiles(dir, files, force);
  return { rows: ui.length, entries: api.length, ...(tail !== undefined && { tail }) };
}

/** The summary of a task for Roo Code. `size`: bytes of its other files. */
export function historyItemOf({ header, recorded, lastAt, state }: ReplayedTask, size: number): HistoryItem {
  const { taskId, workspace, parent } = header;
  const { log, facts, calls } = recorded;
  const { cost, ...tokens } = facts.total ?? NO_USAGE;
  const children = calls.flatMap((call) => (call.phase === "delegated" ? [call.childId] : []));
  // The format has one awaited child.
  const [child] = children;
  const atRest = restReason(state, log.at(-1)) === "completed" ? "completed" : "active";
  return {
    id: taskId,
    number: 1,
    ts: lastAt,
    task: log.toArray().find(({ say }) => say === "text")?.text ?? "",
    ...tokens,
    ...(cost !== null && { totalCost: cost }),
    size,
    ...(workspace !== undefined && { workspace }),
    mode: facts.mode ?? DEFAULT_MODE,
    ...(parent !== undefined && { rootTaskId: parent.rootId, parentTaskId: parent.taskId }),
    status: child === undefined ? atRest : "delegated",
    ...(child !== undefined && { delegatedToId: child, awaitingChildId: child, childIds: children }),
  };
}
