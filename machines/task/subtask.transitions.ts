import { when } from "./transition.ts";

/** A subtask in the background ends, or does not work now, in any state. */
export const onBackgroundSubtask = {
  "subtask.ended": { guard: "isInBackground", actions: "endBackgroundSubtask" },
  "subtask.unavailable": { guard: "isInBackground", actions: "leaveBackgroundSubtask" },
  "subtask.paused": { guard: "isInBackground", actions: "leaveBackgroundSubtask" },
} as const;

const left = [
  when("isDelegated", "settling", "leaveSubtask"),
  when("isInBackground", "settling", "leaveBackgroundSubtask"),
] as const;

/** The task waits for subtasks. A message of the user ends the wait of a call for those in the background. */
export const onSubtaskOfWait = {
  "subtask.ended": [
    when("isDelegated", "settling", "settleSubtask"),
    when("isInBackground", "settling", "endBackgroundSubtask"),
  ],
  "subtask.unavailable": left,
  "subtask.paused": left,
  "queue.added": when("mayEndWait", "settling", "addToQueue"),
} as const;
