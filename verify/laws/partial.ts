import { type Law, topOf } from "./law.ts";

/** L3: at most one message is partial, it is the last one, and only while streaming. */
export const partial: Law = {
  id: "L3",
  title: "at most one message is partial: the last one, while streaming",
  violation({ after }) {
    const { log } = after.context;
    const rows = log.toArray();
    const index = rows.findIndex((row) => row.partial === true);
    if (index < 0) return undefined;
    if (index < rows.length - 1) return `row ${index} of ${rows.length} is partial and not the last`;
    return topOf(after.state) === "streaming" ? undefined : `the last row is partial in ${after.state}`;
  },
};
