import type { ClineMessage } from "../../machines/message/index.ts";
import { isLogEvent, type Law } from "./law.ts";

const isOpen = (row: ClineMessage): boolean => row.type === "ask" && row.closing === undefined;

/** L8: at most one ask is open, it is the last row, and each is closed once. */
export const oneAsk: Law = {
  id: "L8",
  title: "at most one ask is open, it is the last message, each is closed once",
  violation({ before, after, emitted }) {
    const rows = [...after.context.log];
    const open = rows.filter(isOpen);
    if (open.length > 1) return `${open.length} asks are open`;
    if (open.length === 1 && open[0] !== rows.at(-1))
      return `the open ask ${open[0]?.ask} is not the last row`;
    const closed = new Set(
      [...before.context.log].filter((row) => row.closing !== undefined).map(({ ts }) => ts),
    );
    for (const event of emitted.filter(isLogEvent)) {
      if (event.type !== "message.amended" || event.patch.closing === undefined) continue;
      if (closed.has(event.ts)) return `the ask ${event.ts} was closed twice`;
      closed.add(event.ts);
    }
    return undefined;
  },
};
