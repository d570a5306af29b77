import { printable } from "../../client/printable/printable.ts";
import { isShutDown } from "../../machines/message/end-error.ts";
import { formatSubject } from "../../present/asks.ts";
import type { Ask, FailureAsk } from "../../runtime/task/ask.ts";

type Asked = Ask | Pick<FailureAsk, "kind" | "type" | "text" | "errorCode">;

/** Format the error for an ask that nobody can answer: its kind, its content, and what to do. */
export function formatUnanswered(ask: Asked, why: string): string {
  return `the task asks ${ask.type}${aboutOf(ask)}, which nobody can answer: ${why}. ${adviceOf(ask)}`;
}

function aboutOf(ask: Asked): string {
  const line = printable(formatSubject({ ask: ask.type, text: ask.text })).replaceAll("\n", " ");
  if (line === "") return "";
  return ` (${line.length > 200 ? `${line.slice(0, 200)}...` : line})`;
}

function adviceOf({ kind, type, text, errorCode }: Asked): string {
  if (isShutDown(type, errorCode)) return "No request follows: start another task.";
  const failure = kind === "failure" ? FAILURES.find(({ sign }) => sign.test(text)) : undefined;
  return failure?.advice ?? ADVICE[kind];
}

/** Failures of a request that the same request has again. */
const FAILURES: readonly { readonly sign: RegExp; readonly advice: string }[] = [
  {
    sign: /prompt is too long|exceeds? (?:the )?context (?:limit|window)/i,
    advice:
      "The conversation is longer than the context window: resume it on a terminal and condense it with /compact, or choose a model with a larger window (--model).",
  },
  {
    sign: /\b401\b|\b403\b|authentication_error|permission_error|invalid x-api-key/i,
    advice: "Check the API key, and that it may use the model. Then resume the task with run --continue.",
  },
];

const APPROVE = "Run with -y to approve everything, or on a terminal without --print to be asked.";
const ANSWER = "Run on a terminal without --print, or answer the question in the prompt.";
const RESUME = "Resume the task with run --continue.";

const ADVICE: Readonly<Record<Ask["kind"], string>> = {
  tool: APPROVE,
  command: APPROVE,
  mcp: APPROVE,
  browser: APPROVE,
  question: ANSWER,
  failure: "To try the request again, resume the task with run --continue.",
  mistakes: "Raise --consecutive-mistake-limit (0 is no limit), or be more specific in the prompt.",
  limit:
    "Resume the task on a terminal, where yes allows the same amount again, or raise limits in the settings (docs/guide/settings.md).",
  resume: RESUME,
  resume_completed: ANSWER,
  // The completion of a subtask: the root task needs no answer to its own.
  completion: APPROVE,
  command_output: "",
};
