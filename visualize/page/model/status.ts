import type { TaskInfo } from "../../../wire/http/api.ts";
import { STATE_LABELS } from "./state.ts";

/** The status of a task in one word: its state or, at rest, why it rests. */
export const statusOf = ({
  state,
  rest,
  isInterrupted,
}: Pick<TaskInfo, "state" | "rest" | "isInterrupted">): string =>
  isInterrupted === true ? "interrupted" : (rest ?? STATE_LABELS[state]);
