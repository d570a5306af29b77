import type { ClineMessage, SayType } from "../machines/message/message.ts";
import { formatErrorText } from "./error-text.ts";
import { type Kind, kind } from "./kind.ts";
import { formatRetry } from "./retry.ts";

/** Each kind of `say` message. */
export const SAY_VIEWS: Readonly<Record<SayType, Kind>> = {
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
  wake_up: kind("Wake-up", "task"),
};

/** Format the text of a `say` message for a person: a code becomes a sentence, and a delay its seconds. */
export function formatSay({ say, text }: Pick<ClineMessage, "say" | "text">): string {
  const content = text ?? "";
  switch (say) {
    case "error":
    case "diff_error":
    case "condense_context_error":
      return formatErrorText(content);
    case "rooignore_error":
      return `Blocked by .rooignore: ${content}`;
    case "api_req_retry_delayed":
      return formatRetry(content);
    case "api_req_rate_limit_wait":
      return formatRetry(content, "Starting");
    default:
      return content;
  }
}
