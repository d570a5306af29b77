import { type ClineMessage, isRequestMessage, isRequestOpen } from "../../machines/message/index.ts";
import { changesOf, type LogChange } from "./changes.ts";
import type { Law } from "./law.ts";

const FOR_EVER = new Set(["ts", "type", "ask", "say"]);
const MARKS = new Set(["closing", "isAnswered"]);

const mayGrow = (row: ClineMessage, isLast: boolean): boolean =>
  isLast && (row.partial === true || (row.ask === "command_output" && row.closing === undefined));

function mayAmend(row: ClineMessage, isLast: boolean, keys: readonly string[]): boolean {
  if (keys.some((key) => FOR_EVER.has(key))) return false;
  if (isLast && row.partial === true) return true;
  if (isRequestMessage(row)) return isRequestOpen(row) && keys.join() === "text";
  return row.type === "ask" && row.closing === undefined && keys.every((key) => MARKS.has(key));
}

function wrongWith({ event, row, isLast }: LogChange): string | undefined {
  switch (event.type) {
    case "message.appended":
      return row !== undefined && event.message.ts <= row.ts
        ? `row ${event.message.ts} came after row ${row.ts}`
        : undefined;
    case "message.grown":
      return row !== undefined && mayGrow(row, isLast)
        ? undefined
        : `row ${nameOf(event.ts, row)} may not grow`;
    case "message.amended":
      return row !== undefined && mayAmend(row, isLast, Object.keys(event.patch))
        ? undefined
        : `row ${nameOf(event.ts, row)} may not be amended by ${JSON.stringify(event.patch)}`;
    default:
      return `the runtime made a ${event.type}`;
  }
}

const nameOf = (ts: number, row: ClineMessage | undefined): string =>
  row === undefined ? `${ts}, which isn't there,` : `${ts} (${row.ask ?? row.say})`;

/** L5: `ts` strictly increases; only what may be amended is amended. */
export const identity: Law = {
  id: "L5",
  title: "ts strictly increases, and only the rows that may change do",
  violation(step) {
    for (const change of changesOf(step)) {
      const wrong = wrongWith(change);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  },
};
