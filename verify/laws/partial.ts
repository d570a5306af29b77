import { type Law, topOf } from "./law.ts";

/** L3: at most one message is partial, it is the last one, and only while streaming. */
export const partial: Law = {
  id: "L3",
  title: "at most one message is partial: the last one, while streaming",
  violation({ after }) {
    const { log } = after.context;
    for (let index = log.length - 1; index >= 0; index -= 1) {
      if (log.at(index)?.partial !== true) continue;
      if (index < log.length - 1) return `row ${index} of ${log.length} is partial and not the last`;
      if (topOf(after.state) !== "streaming") return `the last row is partial in ${after.state}`;
    }
    return undefined;
  },
};
