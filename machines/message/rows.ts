import { PersistentList } from "../list/index.ts";
import type { ClineMessage } from "./message.ts";
import { isRequestRow } from "./request.ts";

/** The messages of a task in any form that a client may hold them. */
export type Messages = Iterable<ClineMessage> | null | undefined;

/** Messages that can be read from their end. A foreign array may have empty places. */
export type Rows = readonly (ClineMessage | null | undefined)[] | PersistentList<ClineMessage>;

/** An array or a log as it is; anything else is read whole. */
export function rowsOf(messages: Messages): Rows {
  if (messages === undefined || messages === null) return [];
  return Array.isArray(messages) || messages instanceof PersistentList ? messages : [...messages];
}

/** The newest row that stands for a request, looked for from the end. */
export function newestRequest(rows: Rows): ClineMessage | undefined {
  for (let position = rows.length - 1; position >= 0; position -= 1) {
    const row = rows.at(position);
    if (row && isRequestRow(row)) return row;
  }
  return undefined;
}
