import type { AskClosing, ClineMessage } from "../../machines/message/index.ts";
import type { Placed } from "./indexed.ts";

/** Rows that may stand behind an ask without anybody having answered it. */
const BACKGROUND: ReadonlySet<string | undefined> = new Set([
  "checkpoint_saved",
  "command_output",
  "condense_context",
  "condense_context_error",
  "sliding_window_truncation",
  "too_many_tools_warning",
]);
const RESUMED: ReadonlySet<string | undefined> = new Set(["resume_task", "resume_completed_task"]);

/**
 * How the ask at `position` was closed (L8), which the format says of few asks: by its mark, or else by what
 * follows it. Nobody answered one that was still growing, or behind which the task was interrupted or ends.
 */
export function closingOf(rows: readonly Placed<ClineMessage>[], position: number): AskClosing {
  const row = rows[position]?.value;
  if (row?.ask === "command_output") return "ended";
  if (row?.partial === true) return "withdrawn";
  if (row?.isAnswered === true) return "answered";
  let next = position + 1;
  while (isBackground(rows[next]?.value, row?.ask)) next += 1;
  const follows = rows[next]?.value;
  return follows === undefined || RESUMED.has(follows.ask) ? "withdrawn" : "answered";
}

function isBackground(row: ClineMessage | undefined, ask: string | undefined): boolean {
  // A command's output says that it was allowed to run.
  return (
    row?.type === "say" && BACKGROUND.has(row.say) && !(row.say === "command_output" && ask === "command")
  );
}
