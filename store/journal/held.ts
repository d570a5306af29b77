import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { LOCK, systemCode } from "../files/index.ts";
import { toJournalError } from "./error.ts";
import { parseHolder, stateOf } from "./holder.ts";

/** Who has a journal. */
export interface JournalHolder {
  readonly pid: number;
  readonly host: string;
  /** When it took the journal: milliseconds since 1970. */
  readonly since: number;
  /** False where it is on another host or in another container: whether it still runs can't be seen from here. */
  readonly isSeen: boolean;
}

/**
 * Who has the journal in this folder; undefined where nobody does, or a process that has ended. Takes and writes
 * nothing: by the time you have the answer it may be another.
 *
 * @throws JournalError `JOURNAL_DENIED`, `JOURNAL_HANDLES`, `JOURNAL_IO`
 */
export async function journalHolder(dir: string): Promise<JournalHolder | undefined> {
  const path = join(dir, LOCK);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw toJournalError(path, error);
  }
  const holder = parseHolder(text);
  if (holder === undefined) return undefined;
  const state = await stateOf(holder);
  const { pid, host, since } = holder;
  return state === "dead" ? undefined : { pid, host, since, isSeen: state === "alive" };
}
