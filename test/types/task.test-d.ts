// Checked by the compiler: `@ts-expect-error` fails where there is no error.
import {
  type AgentLoopState,
  type Answer,
  type ClineMessage,
  createHost,
  type Host,
  type Task,
} from "../../index.ts";

declare const host: Host;
declare const task: Task;

// A task needs a model and a workspace.
// @ts-expect-error
host.create({ workspace: "." });
// @ts-expect-error
createHost({ dataDirectory: "./tasks" });

export const state: AgentLoopState = task.state.state;
task.messages$.subscribe((message: ClineMessage) => message.ts);
// @ts-expect-error A log is read-only.
task.log.push({ ts: 1, type: "say", say: "text" });

// A result is known only where the task took the message.
const queued = task.queue("Then add a test");
// @ts-expect-error
queued.id;
export const id: string = queued.ok ? queued.id : queued.message;
export const code: "QUEUE_FULL" | "TASK_CLOSED" | undefined = queued.ok ? undefined : queued.code;

// An answer names its ask, and text is part of a text answer.
task.answer(1, { kind: "text", text: "Yes" });
// @ts-expect-error
task.answer({ kind: "yes" });
// @ts-expect-error
export const answer: Answer = { kind: "text" };
// @ts-expect-error
task.answer(1, { kind: "maybe" });
