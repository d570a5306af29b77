import { subtaskCancelled, subtaskFinished } from "../../../machines/conversation/notices.ts";
import type { TaskEmitted, TaskEvent } from "../../../machines/task/task.events.ts";
import type { SubtaskOutcome } from "../../../machines/tool-call/call.ts";
import type { Step } from "../../../verify/index.ts";
import { subtasks } from "../../../verify/laws/subtasks.ts";
import { delegated, settled } from "./calls.ts";
import { appended, gone, say, started } from "./commit-parts.ts";
import { type StepParts, stepOf } from "./step.ts";

/** The violation of L16 by a step. */
export const wrongWith = (parts: StepParts): string | undefined => subtasks.violation(stepOf(parts));

/** The same step after a crash. */
export const afterCrash = (step: Step): Step => ({
  ...step,
  after: { ...step.after, observed: { ...step.after.observed, crashes: 1 } },
});

export const starts = (callId: string): TaskEmitted => started(`subtask:${callId}`);
export const stops = (callId: string): TaskEmitted => gone(`subtask:${callId}`);
/** The message with the end of a subtask. */
export const shows = (callId: string, text = "all done"): TaskEmitted =>
  appended(say(1, "subtask_result", { text, callId }));

export const finished: SubtaskOutcome = { kind: "finished", result: "all done" };
export const cancelled: SubtaskOutcome = { kind: "cancelled" };

export const DELEGATED = "running.delegated";
export const switched: TaskEvent = { type: "mode.switched", mode: "ask", at: 1 };
export const cancel: TaskEvent = { type: "task.cancel", origin: "user", at: 1 };
export const broke: TaskEvent = { type: "journal.failed", message: "disk full", at: 1 };
export const ends = (end: SubtaskOutcome, callId = "c1"): TaskEvent => ({
  type: "subtask.ended",
  callId,
  end,
  at: 1,
});

export const child = delegated("c1", "t1.1");
export const isCut = settled("c1", "interrupted", subtaskCancelled("t1.1"));
export const isDone = settled("c1", "done", subtaskFinished("t1.1", "all done"));
