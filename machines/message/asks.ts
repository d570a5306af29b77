/** Category of an ask: determines the state of the agent. */
export type AskCategory = "interactive" | "idle" | "resumable" | "nonBlocking";

/** Action that a client must take next. */
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

/** Handling of one kind of answer: accepted, rejected, or queued as a message. */
export type AnswerHandling = "accepted" | "rejected" | "queued";

interface AskDefinition {
  readonly category: AskCategory;
  readonly action: RequiredAction;
  readonly yes: AnswerHandling;
  readonly no: AnswerHandling;
  readonly text: AnswerHandling;
}

const define = (
  category: AskCategory,
  action: RequiredAction,
  yes: AnswerHandling,
  no: AnswerHandling,
  text: AnswerHandling,
): AskDefinition => ({ category, action, yes, no, text });

/** All asks: category, required action, and handling of each answer. */
export const ASKS = {
  //                                  category       action                 yes        no         text
  followup: define("interactive", "answer", "rejected", "rejected", "accepted"),
  command: define("interactive", "approve", "accepted", "accepted", "accepted"),
  tool: define("interactive", "approve", "accepted", "accepted", "accepted"),
  use_mcp_server: define("interactive", "approve", "accepted", "accepted", "accepted"),
  browser_action_launch: define("interactive", "approve", "accepted", "accepted", "accepted"),
  completion_result: define("idle", "start_task", "accepted", "accepted", "accepted"),
  api_req_failed: define("idle", "retry_or_new_task", "accepted", "accepted", "queued"),
  mistake_limit_reached: define("idle", "proceed_or_new_task", "accepted", "accepted", "accepted"),
  auto_approval_max_req_reached: define("idle", "start_new_task", "accepted", "accepted", "queued"),
  resume_completed_task: define("idle", "start_new_task", "rejected", "rejected", "accepted"),
  resume_task: define("resumable", "resume_or_abandon", "accepted", "rejected", "accepted"),
  command_output: define("nonBlocking", "continue_or_abort", "accepted", "accepted", "queued"),
} as const satisfies Record<string, AskDefinition>;

/** The `ask` of a message, such as `followup` or `tool`: a name of Roo Code. */
export type AskType = keyof typeof ASKS;

/** The kinds of asks for programs. Messages, journals and protocols have the names of Roo Code. */
export const ASK_KINDS = {
  followup: "question",
  command: "command",
  tool: "tool",
  use_mcp_server: "mcp",
  browser_action_launch: "browser",
  completion_result: "completion",
  api_req_failed: "failure",
  mistake_limit_reached: "mistakes",
  auto_approval_max_req_reached: "limit",
  resume_completed_task: "resume_completed",
  resume_task: "resume",
  command_output: "command_output",
} as const satisfies Readonly<Record<AskType, string>>;

/** The kind of an ask for a program: `question`, `tool`, `completion`. */
export type AskKind = (typeof ASK_KINDS)[AskType];

/** The `ask` of the messages of a kind. */
export type AskTypeOf<K extends AskKind> = {
  readonly [T in AskType]: (typeof ASK_KINDS)[T] extends K ? T : never;
}[AskType];
export type InteractiveAsk = "followup" | "command" | "tool" | "use_mcp_server" | "browser_action_launch";
export type IdleAsk =
  | "completion_result"
  | "api_req_failed"
  | "mistake_limit_reached"
  | "auto_approval_max_req_reached"
  | "resume_completed_task";
export type ResumableAsk = "resume_task";
export type NonBlockingAsk = "command_output";

/** The reason of the ask to resume a task that a person paused. */
export const PAUSED = "paused";
/** The reason of the ask of a task that rests since a subtask can't be opened now. */
export const SUBTASK_UNAVAILABLE = "subtask_unavailable";

/** Whether `value` is an ask of a known kind. */
export const isAskType = (value: unknown): value is AskType =>
  typeof value === "string" && Object.hasOwn(ASKS, value);

const isInCategory = (category: AskCategory, ask: unknown): boolean =>
  isAskType(ask) && ASKS[ask].category === category;

/** Whether the ask blocks the agent until a person approves or answers. */
export const isInteractiveAsk = (ask: unknown): ask is InteractiveAsk => isInCategory("interactive", ask);
/** Whether the task is idle at this ask. */
export const isIdleAsk = (ask: unknown): ask is IdleAsk => isInCategory("idle", ask);
/** Whether the task was interrupted and can be resumed at this ask. */
export const isResumableAsk = (ask: unknown): ask is ResumableAsk => isInCategory("resumable", ask);
/** Whether the agent continues during this ask. */
export const isNonBlockingAsk = (ask: unknown): ask is NonBlockingAsk => isInCategory("nonBlocking", ask);

/**
 * A client's answer to an ask. A yes or no may have feedback: text and images. With a yes to a tool call, `rule` allows
 * such calls from now on, and `amendment` changes the call: a JSON object, as its tool takes it. `mode`, with the answer
 * to a question: the slug of the mode to switch to.
 */
export type Answer =
  | {
      readonly kind: "yes";
      readonly text?: string;
      readonly images?: readonly string[];
      readonly rule?: string;
      readonly amendment?: Readonly<Record<string, unknown>>;
      readonly by?: "program";
    }
  | { readonly kind: "no"; readonly text?: string; readonly images?: readonly string[] }
  | {
      readonly kind: "text";
      readonly text: string;
      readonly images?: readonly string[];
      readonly mode?: string;
    };

/** Return how an ask handles an answer of this kind. */
export const answerHandling = (ask: AskType, answer: Answer["kind"]): AnswerHandling => ASKS[ask][answer];
