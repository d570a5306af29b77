import type { FailureAsk, TypedAsk } from "../../runtime/index.ts";
import { descriptorOf, printable, titleOf } from "../show/index.ts";

/** An ask in words. */
type Asked = TypedAsk | Pick<FailureAsk, "kind" | "text">;

/** Why a run ends at an ask that nobody can answer: its name, what it is about, and what to do. */
export function nobodyAnswers(ask: Asked, why: string): string {
  return `the task asks ${ask.kind}${aboutOf(ask)}, and nobody can answer: ${why}. ${ADVICE[ask.kind]}`;
}

function aboutOf(ask: Asked): string {
  const descriptor = descriptorOf(ask.text);
  const about =
    ask.kind === "followup" ? ask.question : descriptor === undefined ? ask.text : titleOf(descriptor);
  const line = printable(about).replaceAll("\n", " ");
  if (line === "") return "";
  return ` (${line.length > 200 ? `${line.slice(0, 200)}...` : line})`;
}

const APPROVE = "Run it with -y to approve everything, or on a terminal without --print to be asked.";
const ANSWER = "Run it on a terminal without --print, and say in the prompt what it may want to know.";
const AGAIN = "Run it again.";

const ADVICE: Readonly<Record<TypedAsk["kind"], string>> = {
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
  // Of a subtask: that of the task itself needs nobody.
  completion_result: APPROVE,
  command_output: "",
};
