import type { Task } from "../../client/index.ts";
import { type PrintedEvent, printedEvents } from "./events.ts";

/** The record of a task, and within it those of its subtasks, which name themselves. */
export function familyEvents(task: Task, subtasks: readonly Task[]): readonly PrintedEvent[] {
  return printedEvents(task.log, (callId) =>
    subtasks
      .filter(({ parent }) => parent?.taskId === task.id && parent.callId === callId)
      .flatMap((child) =>
        familyEvents(child, subtasks)
          // The run began with the topmost one.
          .filter(({ type }) => type !== "system")
          .map((event) => ({ ...event, taskId: event.taskId ?? child.id })),
      ),
  );
}
