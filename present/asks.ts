import {
  type AskType,
  type InteractiveAsk,
  isAskType,
  isInteractiveAsk,
  PAUSED,
} from "../machines/message/asks.ts";
import { isShutDown } from "../machines/message/end-error.ts";
import type { ClineMessage } from "../machines/message/message.ts";
import { parseQuestion } from "../wire/descriptor.ts";
import { callTitle } from "./call-text.ts";
import { callVerb } from "./call-verb.ts";
import { type Kind, kind } from "./kind.ts";
import { formatLimit } from "./limit.ts";
import { parseCall } from "./parse-call.ts";

/** How a kind of ask is shown, and the words that answer it. */
export interface AskView extends Kind {
  /** The event that led to the ask, as a sentence. */
  readonly about: string;
  /** Empty where the text of the ask is the question, or none is asked. */
  readonly question: string;
  /** The label of a yes and of a no, where the ask takes one. The verb of a call names its yes: see `openAskView`. */
  readonly yes?: string;
  readonly no?: string;
  /** The content of a text, where the ask takes one: `what is missing`. */
  readonly text?: string;
  /** The answer that an empty line gives. A no leaves an ask open that takes none. */
  readonly default?: "yes" | "no";
  /** The status of a task that rests at the ask: `completed`. */
  readonly status?: string;
  /** Whether the task has ended for good: a yes changes nothing, and is not offered. */
  readonly isFinal?: boolean;
}

const CALL = { yes: "Allow", no: "Reject", text: "what to do instead", default: "no" } as const;
const LIMIT = { question: "Continue?", yes: "Continue", no: "Stop", default: "no" } as const;

/** Each kind of ask. */
export const ASK_VIEWS = {
  followup: {
    ...kind("Question", "model", "ask"),
    about: "The agent asks a question.",
    question: "",
    text: "your own answer",
  },
  command: {
    ...kind("Run a command?", "model", "ask"),
    ...CALL,
    yes: "Run",
    about: "The agent wants to run a command.",
    question: "Run it?",
  },
  tool: {
    ...kind("Use a tool?", "model", "ask"),
    ...CALL,
    about: "The agent wants to use a tool.",
    question: "Allow it?",
  },
  use_mcp_server: {
    ...kind("Use an MCP server?", "model", "ask"),
    ...CALL,
    yes: "Call",
    about: "The agent wants to use an MCP server.",
    question: "Allow it?",
  },
  browser_action_launch: {
    ...kind("Open a browser?", "model", "ask"),
    ...CALL,
    about: "The agent wants to open a browser.",
    question: "Allow it?",
  },
  command_output: {
    ...kind("Command", "tool"),
    about: "A command is running.",
    question: "",
    yes: "Continue in background",
    no: "Abort command",
  },
  completion_result: {
    ...kind("Completed?", "task", "ask"),
    about: "Completed.",
    question: "Accept the result?",
    yes: "Accept",
    no: "Decline",
    text: "what is missing",
    default: "yes",
    status: "completed",
  },
  api_req_failed: {
    ...kind("The request failed. Retry?", "task", "bad"),
    about: "The request failed.",
    question: "Retry?",
    yes: "Retry",
    no: "Give up",
    default: "no",
    status: "request failed",
  },
  mistake_limit_reached: {
    ...kind("Too many mistakes. Continue?", "task", "warn"),
    ...LIMIT,
    about: "Too many consecutive mistakes.",
    text: "what to do differently",
    status: "stopped after errors",
  },
  auto_approval_max_req_reached: {
    ...kind("Limit reached. Continue?", "task", "warn"),
    ...LIMIT,
    about: "A limit is reached.",
    status: "limit reached",
  },
  resume_task: {
    ...kind("Interrupted. Resume?", "task", "warn"),
    about: "The task was interrupted.",
    question: "Resume it?",
    yes: "Resume",
    text: "a message",
    default: "no",
    status: "interrupted",
  },
  resume_completed_task: {
    ...kind("Completed. Continue?", "task", "ask"),
    about: "The task was completed.",
    question: "What next?",
    text: "what to do next",
    default: "no",
    status: "completed",
  },
} as const satisfies Readonly<Record<AskType, AskView>>;

/** The end of a task by its control protocol. It is recorded as a failed request, since none follows. */
const SHUT_DOWN: AskView = {
  ...kind("The control protocol ended the task.", "task", "bad"),
  about: "The control protocol ended the task.",
  question: "No request follows.",
  no: "Leave",
  default: "no",
  status: "ended by its protocol",
  isFinal: true,
};

/** The rest of a task that a person paused. */
const PAUSED_VIEW: AskView = {
  ...ASK_VIEWS.resume_task,
  ...kind("Paused. Resume?", "task", "ask"),
  about: "The task is paused.",
  status: "paused",
};

/** The fields of an ask's message that name its cause. */
export interface AskCause {
  /** The code of the error that led to it. */
  readonly errorCode?: string | undefined;
  /** The reason of an ask about a call, or of an ask to resume. */
  readonly reason?: string | undefined;
}

/** The view of an ask. */
export function askView(ask: AskType, { errorCode, reason }: AskCause = {}): AskView {
  if (isShutDown(ask, errorCode)) return SHUT_DOWN;
  return ask === "resume_task" && reason === PAUSED ? PAUSED_VIEW : ASK_VIEWS[ask];
}

/** An ask about a tool call. */
type CallAsk = Exclude<InteractiveAsk, "followup">;

/** An ask as its message has it. */
export interface AskedMessage<T extends AskType = AskType> extends AskCause {
  readonly type: T;
  readonly text: string;
}

/** The labels of a yes and of a no to a call: the yes is the verb of the call, such as `Run` or `Save`. */
export function callAnswers({ type, text }: AskedMessage<CallAsk>): Required<Pick<AskView, "yes" | "no">> {
  const { yes, no } = ASK_VIEWS[type];
  return { yes: callVerb(type, text) ?? yes, no };
}

/** The view of one ask, with the verb of its call. */
export function openAskView({ type, text, ...cause }: AskedMessage): AskView {
  const view = askView(type, cause);
  return isApproval(type) ? { ...view, ...callAnswers({ type, text }) } : view;
}

/** Format the end of a run by a failed request or by a protocol, in a line or more. */
export function formatFailure({ ask, text, errorCode }: ClineMessage): string {
  return isShutDown(ask, errorCode) ? (text ?? "") : `The request failed: ${text ?? ""}`;
}

/** Whether an ask of this kind is about a tool call. */
export const isApproval = (ask: string | undefined): ask is CallAsk =>
  isInteractiveAsk(ask) && ask !== "followup";

/** The event and the question of a kind of ask: `The request failed. Retry?` An unknown kind is its name. */
export function askLabel(ask: string, cause?: AskCause): string {
  if (!isAskType(ask)) return ask;
  const { about, question } = askView(ask, cause);
  return `${about} ${question}`.trim();
}

/** Format the content of an ask in a line or more: the call, the question, the limit, or its text. */
export function formatSubject({ ask, text }: Pick<ClineMessage, "ask" | "text">): string {
  const content = text ?? "";
  if (ask === "followup") return parseQuestion(content).question;
  if (ask === "auto_approval_max_req_reached") return formatLimit(content);
  const call = isApproval(ask) ? parseCall({ ask, text: content }) : undefined;
  return call === undefined ? content : callTitle(call);
}

/** The hint of how a question of the model is answered. */
export const answerHint = (suggestions: readonly unknown[]): string =>
  suggestions.length > 0 ? "A number, or your own answer" : "Your answer";
