import type { AskType } from "../../../../machines/message/asks.ts";
import type { ClineMessage, SayType } from "../../../../machines/message/message.ts";

/** The author of a message, which decides its position. */
export type Author = "user" | "model" | "tool" | "task";
export type Tone = "plain" | "quiet" | "good" | "warn" | "bad" | "ask";

/** The presentation of a kind of message. */
export interface Kind {
  readonly title: string;
  readonly author: Author;
  readonly tone: Tone;
}

const kind = (title: string, author: Author, tone: Tone = "plain"): Kind => ({ title, author, tone });

export const ASK_KINDS: Readonly<Record<AskType, Kind>> = {
  followup: kind("Question", "model", "ask"),
  command: kind("Run a command?", "model", "ask"),
  command_output: kind("Command", "tool"),
  completion_result: kind("Completed?", "task", "ask"),
  tool: kind("Use a tool?", "model", "ask"),
  use_mcp_server: kind("Use an MCP server?", "model", "ask"),
  browser_action_launch: kind("Open a browser?", "model", "ask"),
  api_req_failed: kind("The request failed. Retry?", "task", "bad"),
  mistake_limit_reached: kind("Too many mistakes. Continue?", "task", "warn"),
  auto_approval_max_req_reached: kind("Limit reached. Continue?", "task", "warn"),
  resume_task: kind("Interrupted. Resume?", "task", "warn"),
  resume_completed_task: kind("Completed. Continue?", "task", "ask"),
};

export const SAY_KINDS: Readonly<Record<SayType, Kind>> = {
  error: kind("Error", "task", "bad"),
  api_req_started: kind("Request", "task", "quiet"),
  api_req_finished: kind("Request finished", "task", "quiet"),
  api_req_retried: kind("Request retried", "task", "quiet"),
  api_req_retry_delayed: kind("Waiting to retry", "task", "warn"),
  api_req_rate_limit_wait: kind("Waiting for the rate limit", "task", "warn"),
  api_req_deleted: kind("Request deleted", "task", "quiet"),
  text: kind("Model", "model"),
  image: kind("Image", "tool"),
  reasoning: kind("Thinking", "model", "quiet"),
  completion_result: kind("Result", "model", "good"),
  user_feedback: kind("User", "user"),
  user_feedback_diff: kind("The user changed the edit", "user"),
  command_output: kind("Output", "tool"),
  shell_integration_warning: kind("Shell integration is missing", "task", "warn"),
  mcp_server_request_started: kind("MCP request started", "tool", "quiet"),
  mcp_server_response: kind("MCP response", "tool"),
  subtask_result: kind("Subtask's result", "tool", "good"),
  checkpoint_saved: kind("Checkpoint", "task", "quiet"),
  rooignore_error: kind("Rejected by .rooignore", "task", "bad"),
  diff_error: kind("Edit does not match", "task", "bad"),
  condense_context: kind("Context condensed", "task", "quiet"),
  condense_context_error: kind("Condensing failed", "task", "bad"),
  sliding_window_truncation: kind("Context truncated", "task", "quiet"),
  codebase_search_result: kind("Search results", "tool"),
  user_edit_todos: kind("The user changed the todo list", "user"),
  too_many_tools_warning: kind("Too many tools", "task", "warn"),
  tool: kind("Tool started", "tool", "quiet"),
  permissions_changed: kind("Permissions changed", "task", "quiet"),
  hook: kind("Hook", "task", "warn"),
  opaque: kind("Other content", "model", "quiet"),
};

const isIn = <K extends string>(table: Readonly<Record<K, Kind>>, name: string | undefined): name is K =>
  name !== undefined && Object.hasOwn(table, name);

/** The kind of a message. The first text of a task is the user's. An unknown kind has its name as title. */
export function messageKind({ type, ask, say, denial }: ClineMessage, position: number): Kind {
  if (denial !== undefined) return kind("Denied", "task", "bad");
  if (type === "ask") return isIn(ASK_KINDS, ask) ? ASK_KINDS[ask] : kind(`ask ${ask ?? "?"}`, "task", "ask");
  if (say === "text" && position === 0) return kind("User", "user");
  return isIn(SAY_KINDS, say) ? SAY_KINDS[say] : kind(`say ${say ?? "?"}`, "task");
}
