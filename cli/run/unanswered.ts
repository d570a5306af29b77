import type { Ask, FailureAsk } from "../../runtime/index.ts";
import { parseDescriptor } from "../../wire/index.ts";
import { formatToolTitle, printable } from "../show/index.ts";

type Asked = Ask | Pick<FailureAsk, "kind" | "text">;

/** Format the error for an ask that nobody can answer: its kind, its content, and what to do. */
export function formatUnanswered(ask: Asked, why: string): string {
  return `the task asks ${ask.kind}${aboutOf(ask)}, which nobody can answer: ${why}. ${ADVICE[ask.kind]}`;
}

function aboutOf(ask: Asked): string {
  const descriptor = parseDescriptor(ask.text);
  const about =
    ask.kind === "followup"
      ? ask.question
      : descriptor === undefined
        ? ask.text
        : formatToolTitle(descriptor);
  const line = printable(about).replaceAll("\n", " ");
  if (line === "") return "";
  return ` (${line.length > 200 ? `${line.slice(0, 200)}...` : line})`;
}

const APPROVE = "Run with -y to approve everything, or on a terminal without --print to be asked.";
const ANSWER = "Run on a terminal without --print, or answer the question in the prompt.";
const AGAIN = "Run it again.";

const ADVICE: Readonly<Record<Ask["kind"], string>> = {
  tool: APPROVE,
  command: APPROVE,
  use_mcp_server: APPROVE,
  browser_action_launch: APPROVE,
  followup: ANSWER,
  api_req_failed: AGAIN,
  mistake_limit_reached:
    "Raise --consecutive-mistake-limit (0 is no limit), or be more specific in the prompt.",
  auto_approval_max_req_reached: AGAIN,
  resume_task: AGAIN,
  resume_completed_task: ANSWER,
  // Of a subtask: the completion of the root task needs no answer.
  completion_result: APPROVE,
  command_output: "",
};
