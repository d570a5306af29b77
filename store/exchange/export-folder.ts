import { emptyRecordedState } from "../../machines/task/index.ts";
import { applyRecord, ExchangeError, ROO_FILES, type RooFile, toRoo } from "../../wire/index.ts";
import { type JournalDriver, type JournalTail, readJournal } from "../journal/index.ts";
import { conversationOf } from "./conversation.ts";
import { writeLists } from "./files.ts";

export interface ExportOptions {
  /** Whether files that are there are replaced. Default false. */
  readonly force?: boolean;
}

/** What an export wrote. */
export interface Exported {
  readonly rows: number;
  readonly entries: number;
  /** The end of the journal that could not be used, if there is one: it was left out. */
  readonly tail?: JournalTail;
}

/**
 * Writes a task's folder of the frozen product (`ui_messages.json`, `api_conversation_history.json`) from its
 * journal. Both files are written whole or not at all; `dir` is made if need be. The journal is only read.
 *
 * @throws ExchangeError `EXCHANGE_EXISTS` (without `force`), `EXCHANGE_EMPTY` (the journal has no rows),
 * `EXCHANGE_IO`; JournalError where the journal can't be read
 */
export async function exportFolder(
  driver: Pick<JournalDriver, "path" | "read">,
  dir: string,
  { force = false }: ExportOptions = {},
): Promise<Exported> {
  let memory = emptyRecordedState;
  let tail: JournalTail | undefined;
  const onTail = (found: JournalTail): void => {
    tail = found;
  };
  for await (const record of readJournal(driver, { onTail })) memory = applyRecord(memory, record);
  if (memory.log.length === 0)
    throw new ExchangeError(
      "EXCHANGE_EMPTY",
      `${driver.path}: expected the journal of a task, found one without rows. Check the task's id.`,
    );
  const { ui, api } = toRoo({ messages: memory.log, conversation: conversationOf(memory) });
  const files = new Map<RooFile, readonly unknown[]>([
    [ROO_FILES.ui, ui],
    [ROO_FILES.api, api],
  ]);
  await writeLists(dir, files, force);
  return { rows: ui.length, entries: api.length, ...(tail !== undefined && { tail }) };
}
