import type { ClineMessage, LogEvent } from "../../machines/message/index.ts";
import { isLogEvent, type Law } from "./law.ts";

const MAY_GROW = (row: ClineMessage, isLast: boolean): boolean =>
  isLast && (row.partial === true || (row.ask === "command_output" && row.closing === undefined));

function mayAmend(
  row: ClineMessage,
  isLast: boolean,
  event: Extract<LogEvent, { type: "message.amended" }>,
): boolean {
  if (isLast && row.partial === true) return true;
  if (row.say === "api_req_started") return Object.keys(event.patch).join() === "text";
  const closes = Object.keys(event.patch).every((key) => key === "closing" || key === "isAnswered");
  return row.type === "ask" && row.closing === undefined && closes;
}

/** L5: `ts` strictly increases; only what may be amended is amended. */
export const identity: Law = {
  id: "L5",
  title: "ts strictly increases, and only these rows are amended",
  violation({ before, emitted }) {
    const rows = new Map<number, ClineMessage>();
    let last = before.context.log.at(-1)?.ts ?? Number.NEGATIVE_INFINITY;
    for (const row of before.context.log) rows.set(row.ts, row);
    for (const event of emitted.filter(isLogEvent)) {
      if (event.type === "message.appended") {
        if (event.message.ts <= last) return `row ${event.message.ts} came after row ${last}`;
        last = event.message.ts;
        rows.set(last, event.message);
        continue;
      }
      if (event.type === "log.replaced" || event.type === "log.truncated")
        return `the runtime made a ${event.type}`;
      const row = rows.get(event.ts);
      if (row === undefined) return `${event.type} names row ${event.ts}, which isn't there`;
      if (event.type === "message.grown") {
        if (!MAY_GROW(row, event.ts === last)) return `row ${event.ts} (${row.ask ?? row.say}) may not grow`;
        rows.set(event.ts, { ...row, text: (row.text ?? "") + event.text });
      } else {
        if (!mayAmend(row, event.ts === last, event))
          return `row ${event.ts} (${row.ask ?? row.say}) may not be amended`;
        rows.set(event.ts, { ...row, ...event.patch });
      }
    }
    return undefined;
  },
};
