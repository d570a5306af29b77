import { z } from "zod";
import type { BackgroundSubtasks } from "../../ports/background-subtasks.ts";
import { ToolError } from "../error.ts";

const ID_MAX_CHARS = 200;
/** The id of a subtask, as the result of its call names it. */
export const SUBTASK_ID = z.string().min(1).max(ID_MAX_CHARS);

/** @throws ToolError `NOT_FOUND` for a task whose subtasks never work in the background */
export function assertInBackground(subtasks: BackgroundSubtasks | undefined): BackgroundSubtasks {
  if (subtasks !== undefined) return subtasks;
  throw new ToolError(
    "NOT_FOUND",
    "The subtasks of this task do not work in the background: new_task waits for each and returns its result.",
  );
}
