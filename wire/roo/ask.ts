import type { AskClosing, ClineMessage } from "../../machines/message/message.ts";
import type { Indexed } from "./json.ts";

/** Messages that may follow an ask without an answer to it. */
const BACKGROUND: ReadonlySet<string | undefined> = new Set([
  "checkpoint_saved",
  "command_output",
  "condense_context",
  "condense_context_error",
  "sliding_window_truncation",
  "too_many_tools_warning",
]);
/** Asks whether to resume a task. */
export const RESUMED: ReadonlySet<string | undefined> = new Set(["resume_task", "resume_completed_task"]);

/**
 * Determine how the ask at `position` was closed (L8): by its `isAnswered`, else by the messages after it. A partial ask
 * was not answered, nor one after which the task was resumed or ends.
 */
export function closingOf(messages: readonly Indexed<ClineMessage>[], position: number): AskClosing {
  const ask = messages[position]?.value;
  if (ask?.ask === "command_output") return "ended";
  if (ask?.partial === true) return "withdrawn";
  if (ask?.isAnswered === true) return "answered";
  let next = position + 1;
  while (isBackground(messages[next]?.value, ask?.ask)) next += 1;
  const follows = messages[next]?.value;
  return follows === undefined || RESUMED.has(follows.ask) ? "withdrawn" : "answered";
}

function isBackground(message: ClineMessage | undefined, ask: string | undefined): boolean {
  // Output of a command means that it was approved.
  return (
    message?.type === "say" &&
    BACKGROUND.has(message.say) &&
    !(message.say === "command_output" && ask === "command")
  );
}
