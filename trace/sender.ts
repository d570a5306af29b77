import type { CommitRecord } from "../wire/index.ts";

/** Whom the user's commands come from, the commit gate's failures, and what nobody sends. */
export const USER = "user";
export const JOURNAL = "journal";
export const TASK = "task";

/** Edge actors of which a task has one at a time: their ids are their kinds. */
const SINGLE: ReadonlyMap<string, string> = new Map([
  ["task.opened", "opening"],
  ["context.ready", "context"],
  ["context.failed", "context"],
  ["timer.fired", "timer"],
  ["journal.failed", JOURNAL],
  ["task.recovered", TASK],
]);

/** Who sent the event that brought this commit about: its type says what kind of actor, and it bears its sender's id. */
export function senderOf({ cause }: Pick<CommitRecord, "cause">): string {
  if (cause === undefined) return TASK;
  const { type, callId, askId } = cause;
  const single = SINGLE.get(type);
  if (single !== undefined) return single;
  if (type.startsWith("llm.")) return "llm";
  if (type.startsWith("ask.")) return `ask:${String(askId)}`;
  if (type.startsWith("tool.") && type !== "tool.abort") return `tool:${String(callId)}`;
  if (type.startsWith("call.")) return `review:${String(callId)}`;
  if (type.startsWith("subtask.")) return `subtask:${String(callId)}`;
  if (type.startsWith("checkpoint.")) return "checkpoint";
  return USER;
}
