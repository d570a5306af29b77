import type { TaskContext } from "../../machines/task/task.context.ts";
import type { Feature } from "./feature.ts";

/** Calls repeat, and diffs fail. Their reviews have the same digest, and patch one file. */
export const repetitions: Feature = {
  name: "repetitions",
  parts: { repetitions: ({ view, bounds }) => (bounds.repeats ? repetitionsOf(view.context) : 0) },
};

/** The counts that the refusal of the next call and the advice after a failed diff depend on. */
const repetitionsOf = ({ counters: { repeated, cycles }, failedDiffs }: TaskContext) => [
  repeated,
  cycles ?? 0,
  failedDiffs,
];
