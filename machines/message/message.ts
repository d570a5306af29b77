import type { AskType } from "./asks.ts";

/** What a `say` row tells. */
export const SAYS = [
  "error",
  "api_req_started",
  "api_req_finished",
  "api_req_retried",
  "api_req_retry_delayed",
  "api_req_rate_limit_wait",
  "api_req_deleted",
  "text",
  "image",
  "reasoning",
  "completion_result",
  "user_feedback",
  "user_feedback_diff",
  "command_output",
  "shell_integration_warning",
  "mcp_server_request_started",
  "mcp_server_response",
  "subtask_result",
  "checkpoint_saved",
  "rooignore_error",
  "diff_error",
  "condense_context",
  "condense_context_error",
  "sliding_window_truncation",
  "codebase_search_result",
  "user_edit_todos",
  "too_many_tools_warning",
  "tool",
] as const;

export type SayType = (typeof SAYS)[number];

/** How an ask ended: by an answer, by withdrawal, by a policy's deadline, or with its command (L8). */
export type AskClosing = "answered" | "withdrawn" | "expired" | "ended";

/**
 * One row of a task's log. `ts` is its identity: milliseconds, unique and strictly increasing in the logs
 * that we make (L5). `partial` has three values: true = growing, false = was growing and is now whole,
 * absent = born whole. Foreign logs may hold asks and says of unknown kinds, duplicate `ts` and partial
 * rows that were never closed: readers bear them.
 */
export interface ClineMessage {
  readonly ts: number;
  readonly type: "ask" | "say";
  readonly ask?: AskType | (string & {});
  readonly say?: SayType | (string & {});
  readonly text?: string | null;
  /** Data URLs. */
  readonly images?: readonly string[];
  readonly partial?: boolean;
  readonly reasoning?: string;
  readonly conversationHistoryIndex?: number;
  readonly checkpoint?: Readonly<Record<string, unknown>>;
  readonly progressStatus?: { readonly icon?: string; readonly text?: string };
  readonly contextCondense?: Readonly<Record<string, unknown>>;
  readonly contextTruncation?: Readonly<Record<string, unknown>>;
  readonly isProtected?: boolean;
  readonly apiProtocol?: string;
  /** The family's mark of an answered ask; set together with `closing: "answered"`. */
  readonly isAnswered?: boolean;
  /** Ours: how this ask was closed. Set once. */
  readonly closing?: AskClosing;
  /** Ours: the tool call that this row is about. */
  readonly callId?: string;
  /** Ours, on `say:command_output`: the process's exit code. */
  readonly exitCode?: number;
}

/** A row before it has its `ts`. */
export type Draft = Omit<ClineMessage, "ts">;
/** What an amendment may change: never `ts`, `type`, `ask` or `say` (L5). */
export type Patch = Partial<Omit<ClineMessage, "ts" | "type" | "ask" | "say">>;
