import type { AskType } from "./asks.ts";

/** Kinds of `say` messages. */
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
  // Ours: an open ask about a tool call was withdrawn, since what is permitted changed.
  "permissions_changed",
  // Ours: a hook denied, changed or added something.
  "hook",
  // Ours: a block of a response that is not interpreted. Its type is the first line of the text.
  "opaque",
  // Ours: a wake-up was due and continued the task. The text is its message.
  "wake_up",
] as const;

export type SayType = (typeof SAYS)[number];

/** How an ask was closed: by an answer, by withdrawal, by a policy's deadline, or with its command (L8). */
export type AskClosing = "answered" | "withdrawn" | "expired" | "ended";

/** Status of a running tool call, as the tool reports it. */
export interface ProgressStatus {
  readonly icon?: string;
  readonly text?: string;
}

/** A record of a task's journal. */
export interface RecordPlace {
  readonly seq: number;
  /** Id of the task. Absent: the task of the message. */
  readonly task?: string;
}

/** The source of a denial: a hook, a rule with its origin, or a clause of a policy over time. */
export type Denial =
  | { readonly hook: string }
  | { readonly rule: string }
  /** `since`: the records that decide it, oldest first. */
  | { readonly policy: string; readonly clause: string; readonly since: readonly RecordPlace[] };

/**
 * A message of a task's log. `ts` identifies it: milliseconds, unique and strictly increasing in our logs (L5). `partial`
 * is true while it streams, false once it is complete, and absent if it never streamed. Foreign logs may contain unknown
 * kinds, duplicate `ts` and partial messages that were never closed: readers accept them.
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
  /** On the message of a tool call: the newest status that the tool reported. */
  readonly progressStatus?: ProgressStatus;
  readonly contextCondense?: Readonly<Record<string, unknown>>;
  readonly contextTruncation?: Readonly<Record<string, unknown>>;
  readonly isProtected?: boolean;
  readonly apiProtocol?: string;
  /** Roo Code's mark of an answered ask; set together with `closing: "answered"`. */
  readonly isAnswered?: boolean;
  /** Our field: how this ask was closed. Set once. */
  readonly closing?: AskClosing;
  /**
   * Our field. On the ask of a tool call: the rule that allowed it, or why a person is asked. On the ask to resume a
   * paused task: `paused`.
   */
  readonly reason?: string;
  /** Our field: the tool call of this message. */
  readonly callId?: string;
  /** Our field: what denied the tool call. The text has the reason. */
  readonly denial?: Denial;
  /** Our field, on an ask about an error: its code. */
  readonly errorCode?: string;
  /** Our field, on `say:command_output`: the process's exit code. */
  readonly exitCode?: number;
}

/** A message without its `ts`. */
export type Draft = Omit<ClineMessage, "ts">;
/** Fields that an amendment changes: never `ts`, `type`, `ask` or `say` (L5). */
export type Patch = Partial<Omit<ClineMessage, "ts" | "type" | "ask" | "say">>;
