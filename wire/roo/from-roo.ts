import type { Entry } from "../../machines/conversation/entry.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import { parseConversation } from "./conversation.ts";
import { notAList, notJson, ROO_FILES } from "./error.ts";
import { repairMessages } from "./messages.ts";
import { type Repair, Report } from "./report.ts";

/** The parsed JSON of the two files; `undefined` for a missing file. */
export interface RooFiles {
  readonly ui?: unknown;
  readonly api?: unknown;
}

/** A task of Roo Code, converted. */
export interface FromRoo {
  /** Messages that satisfy L3, L4, L5 and L8; all asks are closed. */
  readonly messages: readonly ClineMessage[];
  /** Entries that satisfy L6. The tool calls of a last response may have no results yet. */
  readonly conversation: readonly Entry[];
  /** All repairs, by file and in the order of the file. */
  readonly report: readonly Repair[];
}

/**
 * Convert the files of a Roo Code task folder. Invalid messages and entries are repaired and reported; the others are
 * returned unchanged, with unknown fields.
 *
 * @throws ExchangeError `EXCHANGE_INVALID` if a file is not an array
 *
 * @example
 * ```ts
 * import { fromRoo } from "signalbox/wire";
 * const ui = [{ ts: 7, type: "say", say: "text", text: "Fix it", partial: true }];
 * const { messages, report } = fromRoo({ ui });
 * console.log(messages[0]?.partial, report[0]?.rule); // false L3
 * ```
 */
export function fromRoo({ ui = [], api = [] }: RooFiles): FromRoo {
  const uiReport = new Report(ROO_FILES.ui);
  const apiReport = new Report(ROO_FILES.api);
  const messages = repairMessages(assertList(ui, ROO_FILES.ui), uiReport);
  const prompt = messages.find(({ say, text }) => say === "text" && text)?.text ?? undefined;
  const conversation = parseConversation(assertList(api, ROO_FILES.api), prompt, apiReport);
  return { messages, conversation, report: [...uiReport.all(), ...apiReport.all()] };
}

function assertList(value: unknown, file: string): readonly unknown[] {
  if (!Array.isArray(value)) throw notAList(file, value);
  return value;
}

/**
 * Parse the text of one of the files. `name` is its name in the error.
 *
 * @throws ExchangeError `EXCHANGE_INVALID` if it is not a JSON array
 */
export function parseRooFile(text: string, name: string): readonly unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (cause) {
    throw notJson(name, text, cause);
  }
  return assertList(value, name);
}
