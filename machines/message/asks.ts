/** The four answers to "what does the agent want of me", and the state each means. */
export type AskCategory = "interactive" | "idle" | "resumable" | "nonBlocking";

/** What a client is asked to do next. */
export type RequiredAction =
  | "none"
  | "approve"
  | "answer"
  | "retry_or_new_task"
  | "proceed_or_new_task"
  | "start_task"
  | "start_new_task"
  | "resume_or_abandon"
  | "continue_or_abort";

/** What becomes of one kind of answer: taken as the answer, refused by name, or put into the queue. */
export type AnswerHandling = "accepted" | "rejected" | "queued";

interface AskRow {
  readonly category: AskCategory;
  readonly action: RequiredAction;
  readonly yes: AnswerHandling;
  readonly no: AnswerHandling;
  readonly text: AnswerHandling;
}

const row = (
  category: AskCategory,
  action: RequiredAction,
  yes: AnswerHandling,
  no: AnswerHandling,
  text: AnswerHandling,
): AskRow => ({
  category,
  action,
  yes,
  no,
  text,
});

/** Every ask: its category, the action it requires, and which answers it takes. The only such table. */
export const ASKS = {
  //                                  category       action                 yes        no         text
  followup: row("interactive", "answer", "rejected", "rejected", "accepted"),
  command: row("interactive", "approve", "accepted", "accepted", "accepted"),
  tool: row("interactive", "approve", "accepted", "accepted", "accepted"),
  use_mcp_server: row("interactive", "approve", "accepted", "accepted", "accepted"),
  browser_action_launch: row("interactive", "approve", "accepted", "accepted", "accepted"),
  completion_result: row("idle", "start_task", "accepted", "accepted", "accepted"),
  api_req_failed: row("idle", "retry_or_new_task", "accepted", "accepted", "queued"),
  mistake_limit_reached: row("idle", "proceed_or_new_task", "accepted", "accepted", "accepted"),
  auto_approval_max_req_reached: row("idle", "start_new_task", "accepted", "accepted", "queued"),
  resume_completed_task: row("idle", "start_new_task", "rejected", "rejected", "accepted"),
  resume_task: row("resumable", "resume_or_abandon", "accepted", "rejected", "accepted"),
  command_output: row("nonBlocking", "continue_or_abort", "accepted", "accepted", "queued"),
} as const satisfies Record<string, AskRow>;

export type AskType = keyof typeof ASKS;
export type InteractiveAsk = "followup" | "command" | "tool" | "use_mcp_server" | "browser_action_launch";
export type IdleAsk =
  | "completion_result"
  | "api_req_failed"
  | "mistake_limit_reached"
  | "auto_approval_max_req_reached"
  | "resume_completed_task";
export type ResumableAsk = "resume_task";
export type NonBlockingAsk = "command_output";

/** Whether `value` is an ask of a known kind. */
export const isAskType = (value: unknown): value is AskType =>
  typeof value === "string" && Object.hasOwn(ASKS, value);

const isOf = (category: AskCategory, ask: unknown): boolean =>
  isAskType(ask) && ASKS[ask].category === category;

/** The ask stops the agent until a person approves or answers. */
export const isInteractiveAsk = (ask: unknown): ask is InteractiveAsk => isOf("interactive", ask);
/** The ask says that the task has come to rest. */
export const isIdleAsk = (ask: unknown): ask is IdleAsk => isOf("idle", ask);
/** The ask says that the task was interrupted and can go on. */
export const isResumableAsk = (ask: unknown): ask is ResumableAsk => isOf("resumable", ask);
/** The ask does not stop the agent. */
export const isNonBlockingAsk = (ask: unknown): ask is NonBlockingAsk => isOf("nonBlocking", ask);

/** A client's answer to an ask. A yes or no may bring text (feedback) along. */
export type Answer =
  | { readonly kind: "yes"; readonly text?: string; readonly images?: readonly string[] }
  | { readonly kind: "no"; readonly text?: string; readonly images?: readonly string[] }
  | { readonly kind: "text"; readonly text: string; readonly images?: readonly string[] };

/** What becomes of an answer of this kind to this ask (the table of DESIGN, "Answering appends"). */
export const answerHandling = (ask: AskType, answer: Answer["kind"]): AnswerHandling => ASKS[ask][answer];
