import type { TaskInfo } from "../../../wire/index.ts";
import { STATE_LABELS } from "./state.ts";

/** Why a task is at rest, by the machine's state. */
const REASONS: Readonly<Record<string, string>> = {
  "idle.completing": "completed",
  "idle.delivering": "completed",
  "idle.completed": "completed",
  "idle.declined": "completed",
  "idle.reopened": "completed",
  "idle.failed": "failed",
  "idle.limited": "limited",
  "idle.mistaken": "limited",
  resumable: "interrupted",
};

/** The status of a task in one word: its state or, at rest, why it rests. */
export function statusOf({
  path,
  state,
  isCompleted,
  isInterrupted,
}: Pick<TaskInfo, "path" | "state" | "isCompleted" | "isInterrupted">): string {
  if (isInterrupted === true) return "interrupted";
  return REASONS[path] ?? (isCompleted === true ? "completed" : STATE_LABELS[state]);
}
