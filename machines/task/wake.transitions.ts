import { when } from "./transition.ts";

/** A person schedules and clears wake-ups, in any state. */
export const onWakeUpChange = {
  "wake.scheduled": { guard: "mayBeScheduled", actions: "scheduleWakeUp" },
  "wake.cleared": { guard: "hasWakeUp", actions: "clearWakeUps" },
} as const;

/** A due wake-up continues a task that is idle, in place of an answer. */
export const onWakeOfIdle = {
  "wake.due": [
    when("wakesCompletion", "#task.running.settling", "wake"),
    when("isDue", "#task.running.requesting", "wake"),
  ],
} as const;

/** A due wake-up continues an interrupted task, as a resume does. */
export const onWakeOfInterrupted = {
  "wake.due": [
    when("wakesSubtask", "#task.running.settling", "wake", "resumeSubtasks"),
    when("wakesRetryDelay", "#task.running.retrying", "wake", "resumeRetryDelay"),
    when("isDue", "#task.running.requesting", "wake"),
  ],
} as const;
