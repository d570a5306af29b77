import { MONITORED_LAWS } from "../monitor/monitored-laws.ts";
import { type Law, topState } from "./law.ts";

/** L3: at most one message is partial, it is the last one, and only while streaming. */
export const partial: Law = {
  id: "L3",
  title: MONITORED_LAWS.L3.title,
  violation({ after }) {
    const { length } = after.context.log;
    const [position] = after.logFacts.partial;
    if (position === undefined) return undefined;
    if (position < length - 1) return `message ${position} of ${length} is partial and not the last`;
    return topState(after.state) === "streaming"
      ? undefined
      : `the last message is partial in ${after.state}`;
  },
};
