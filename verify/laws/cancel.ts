import { hasNoWork } from "../../machines/message/states.ts";
import { startedIds } from "./changes.ts";
import { type Law, topState } from "./law.ts";

/** L10: one cancel settles the task in its macrostep and stops every actor but the ask; a second changes nothing. */
export const cancel: Law = {
  id: "L10",
  title: "one cancel settles the task, a second changes nothing",
  violation(step) {
    const { before, event, after } = step;
    if (event.type !== "task.cancel") return undefined;
    const from = topState(before.state);
    const expected = hasNoWork(from) ? from : "resumable";
    if (topState(after.state) !== expected) return `a cancel in ${before.state} led to ${after.state}`;
    if (expected === from && before.context.log !== after.context.log)
      return `a cancel in ${before.state} changed the log`;
    const left = [...after.activeActors].find((id) => !id.startsWith("ask:"));
    if (left !== undefined) return `${left} is active after a cancel in ${before.state}`;
    if (expected !== from && startedIds(step, "ask").length === 0) return "a cancel started no ask to resume";
    return undefined;
  },
};
