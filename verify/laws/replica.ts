import { applyLogEvent, type Log } from "../../machines/message/index.ts";
import { isLogEvent, type Law } from "./law.ts";

const rows = (log: Log): string => JSON.stringify(log.toArray(Math.max(0, log.length - 6)));

/** L2: folding what was emitted over the log before gives the log after, and the tracker agrees. */
export const replica: Law = {
  id: "L2",
  title: "folding the emitted log events gives the log",
  violation({ before, after, emitted }) {
    const folded = emitted.filter(isLogEvent).reduce(applyLogEvent, before.context.log);
    const { log } = after.context;
    if (folded.length !== log.length || rows(folded) !== rows(log)) {
      return `the events give ${rows(folded)}, the log has ${rows(log)}`;
    }
    return undefined;
  },
};
