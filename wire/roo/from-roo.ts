import type { Entry } from "../../machines/conversation/index.ts";
import type { ClineMessage } from "../../machines/message/index.ts";
import { conversationOf } from "./conversation.ts";
import { notAList, notJson, ROO_FILES, type RooFile } from "./error.ts";
import { messagesOf } from "./messages.ts";
import { type Mended, Report } from "./report.ts";

/** What the two files hold, as parsed JSON; `undefined` for a file that isn't there. */
export interface RooFiles {
  readonly ui?: unknown;
  readonly api?: unknown;
}

/** A task of the frozen product, in our terms. */
export interface FromRoo {
  /** Rows that obey L3, L4, L5 and L8, all asks closed. */
  readonly messages: readonly ClineMessage[];
  /** Entries that obey L6; those of a last answer's calls may wait for their results. */
  readonly conversation: readonly Entry[];
  /** All that was changed, file by file and in the order of the file; empty where nothing had to be. */
  readonly report: readonly Mended[];
}

/**
 * Reads the files of a task's folder. Whatever single rows or entries hold, they are borne, mended and
 * reported; what needs no mending is handed on as it came, with fields that we don't know.
 *
 * @throws ExchangeError `EXCHANGE_INVALID` where a file is no array
 *
 * @example
 * ```ts
 * import { fromRoo } from "signalbox/wire";
 * const ui = [{ ts: 7, type: "say", say: "text", text: "Fix it", partial: true }];
 * const { messages, report } = fromRoo({ ui });
 * console.log(messages[0]?.partial, report[0]?.rule); // false L3
 * ```
 */
export function fromRoo({ ui, api }: RooFiles): FromRoo {
  const rows = new Report(ROO_FILES.ui);
  const entries = new Report(ROO_FILES.api);
  const messages = messagesOf(listOf(ui, ROO_FILES.ui), rows);
  const prompt = messages.find(({ say, text }) => say === "text" && text)?.text ?? undefined;
  const conversation = conversationOf(listOf(api, ROO_FILES.api), prompt, entries);
  return { messages, conversation, report: [...rows.all(), ...entries.all()] };
}

function listOf(value: unknown, file: RooFile): readonly unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw notAList(file, value);
  return value;
}

/**
 * The JSON of one of the files. `place` is told in the error.
 *
 * @throws ExchangeError `EXCHANGE_INVALID` where it is no JSON array
 */
export function parseRooFile(text: string, place: string): readonly unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (cause) {
    throw notJson(place, text, cause);
  }
  if (!Array.isArray(value)) throw notAList(place, value);
  return value;
}
