import { type AskType, type InteractiveAsk, isAskType, isInteractiveAsk } from "../machines/message/asks.ts";
import { isShutDown } from "../machines/message/end-error.ts";
import type { ClineMessage } from "../machines/message/message.ts";
import { parseQuestion } from "../wire/descriptor.ts";
import { callTitle } from "./call-text.ts";
import { type Kind, kind } from "./kind.ts";
import { formatLimit } from "./limit.ts";
import { parseCall } from "./parse-call.ts";

/** How a kind of ask is shown, and the words that answer it. */
export interface AskView extends Kind {
  /** The event that led to the ask, as a sentence. */
  readonly about: string;
  /** Empty where the text of the ask is the question, or none is asked. */
  readonly question: string;
  /** The label of a yes and of a no, where the ask takes one. */
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

const CALL = { yes: "Approve", no: "Reject", text: "what to do instead", default: "no" } as const;
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
    question: "Try again?",
    yes: "Try again",
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

/**
 * The view of an ask.
 *
 * @param errorCode the code of the error that led to it
 */
export const askView = (ask: AskType, errorCode?: string): AskView =>
  isShutDown(ask, errorCode) ? SHUT_DOWN : ASK_VIEWS[ask];

/** Format the end of a run by a failed request or by a protocol, in a line or more. */
export function formatFailure({ ask, text, errorCode }: ClineMessage): string {
  return isShutDown(ask, errorCode) ? (text ?? "") : `The request failed: ${text ?? ""}`;
}

/** Whether an ask of this kind is about a tool call. */
export const isApproval = (ask: string | undefined): ask is Exclude<InteractiveAsk, "followup"> =>
  isInteractiveAsk(ask) && ask !== "followup";

/** The event and the question of a kind of ask: `The request failed. Try again?` An unknown kind is its name. */
export function askLabel(ask: string, errorCode?: string): string {
  if (!isAskType(ask)) return ask;
  const { about, question } = askView(ask, errorCode);
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
