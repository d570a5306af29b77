import type { CancelOrigin } from "../../machines/task/task.events.ts";
import type { CommitRecord } from "../../wire/journal/record.ts";

/** The senders of commands, of the commit gate's failures, and of the task's own events. */
const USER = "user";
const JOURNAL = "journal";
export const TASK = "task";

/** The senders of a cancel, by its recorded origin. A journal of an earlier version records none. */
const CANCEL_SENDERS: ReadonlyMap<unknown, string> = new Map([
  ["user", USER],
  ["signal", "signal"],
  ["close", "host"],
  ["parent", "parent"],
] satisfies readonly (readonly [CancelOrigin, string])[]);
const UNKNOWN = "unknown";

/** The senders that no effect starts. */
export const UNSTARTED: ReadonlySet<string> = new Set([
  USER,
  JOURNAL,
  TASK,
  UNKNOWN,
  ...CANCEL_SENDERS.values(),
]);

/** Senders that a task has one at a time, by the type of their event. */
const SINGLE: ReadonlyMap<string, string> = new Map([
  ["task.opened", "opening"],
  ["context.ready", "context"],
  ["context.failed", "context"],
  ["condense.unneeded", "condense"],
  ["condense.started", "condense"],
  ["condense.finished", "condense"],
  ["condense.failed", "condense"],
  ["request.hooked", "hook"],
  ["timer.fired", "timer"],
  ["journal.failed", JOURNAL],
  ["task.recovered", TASK],
]);

/** The sender of the event that caused a commit, from the event's type and the id that it carries. */
export function senderOf({ cause }: Pick<CommitRecord, "cause">): string {
  if (cause === undefined) return TASK;
  const { type, callId, askId, origin } = cause;
  if (type === "task.cancel") return CANCEL_SENDERS.get(origin) ?? UNKNOWN;
  const single = SINGLE.get(type);
  if (single !== undefined) return single;
  if (type.startsWith("transcript.")) return TASK;
  if (type.startsWith("llm.")) return "llm";
  if (type.startsWith("ask.")) return `ask:${String(askId)}`;
  if (type.startsWith("tool.") && type !== "tool.abort") return `tool:${String(callId)}`;
  if (type === "call.hooked" || type === "result.hooked") return `hook:${String(callId)}`;
  if (type.startsWith("call.")) return `review:${String(callId)}`;
  if (type.startsWith("subtask.")) return `subtask:${String(callId)}`;
  if (type.startsWith("checkpoint.")) return "checkpoint";
  return USER;
}
