import type { Denial } from "../../../machines/message/message.ts";
import { CONTROL_HOOK } from "../../../machines/tool-call/control.ts";
import { formatSubject } from "../../../present/asks.ts";
import { callTitle } from "../../../present/call-text.ts";
import { oneLine } from "../../../present/one-line.ts";
import { parseCall } from "../../../present/parse-call.ts";
import { plural } from "../../../present/plural.ts";
import type { Attempt, DeniedBy, Problem, Trouble } from "./problems.ts";
import type { TraceIndex } from "./trace-index.ts";

/** A word for each kind of problem. */
const PROBLEM_KINDS: Readonly<Record<Trouble["kind"], string>> = {
  request: "request failed",
  exit: "exit code",
  denial: "denied",
  invalid: "invalid call",
  failure: "tool failed",
  subtask: "subtask failed",
  limit: "limit",
  crash: "process ended",
  law: "law broken",
};

/** The word for a problem. A denial by the answer to an ask is a rejection. */
export const problemKind = ({ trouble }: Problem): string =>
  trouble.kind === "denial" && trouble.source.by === "answer" ? "rejected" : PROBLEM_KINDS[trouble.kind];

/** A problem in one line, of the model's, a tool's or a person's words as far as they are needed. */
export function problemText({ trouble, callId }: Problem, index: TraceIndex): string {
  const call = callId === undefined ? "" : callText(callId, index);
  switch (trouble.kind) {
    case "request":
      return requestText(trouble.attempts);
    case "exit":
      return `${call} exited with code ${trouble.code}`;
    case "denial":
      return callId === undefined
        ? `the response was ${deniedText(trouble.source)}`
        : `${call}: ${deniedText(trouble.source)}`;
    case "invalid":
    case "failure":
    case "subtask":
      return `${call}: ${oneLine(trouble.message)}`;
    case "limit":
      return oneLine(formatSubject(trouble.ask));
    case "crash":
      return `the process ended in ${trouble.state}`;
    case "law":
      return `${trouble.law}: expected ${trouble.expected}; got ${trouble.came}`;
  }
}

/** A tool call in a line: `Edit src/a.ts`, `npm test`, or without a message its tool and target: `apply_diff src/a.ts`. */
export function callText(callId: string, { problems, toolNames }: TraceIndex): string {
  const { ask, text = "", target } = problems.calls.get(callId) ?? {};
  const call = ask === undefined ? undefined : parseCall({ ask, text });
  const title = call === undefined ? "" : oneLine(callTitle(call));
  return title || oneLine([toolNames.get(callId) ?? "a call", target ?? ""].join(" "));
}

function requestText(attempts: readonly Attempt[]): string {
  const last = oneLine(attempts.at(-1)?.message ?? "");
  return attempts.length === 1 ? last : `${last} (${plural(attempts.length, "attempt")})`;
}

/** The source of a denial in words. */
function deniedText(source: DeniedBy): string {
  switch (source.by) {
    case "record":
      return `denied by ${sourceText(source.denial)}`;
    case "answer":
      return "its ask was not answered by yes";
    case "deadline":
      return `its ask expired by the rule ${source.rule}`;
    case "protocol":
      return "withheld by the control protocol";
    case "unknown":
      return "denied";
  }
}

function sourceText(denial: Denial): string {
  if ("hook" in denial)
    return denial.hook === CONTROL_HOOK ? "the control protocol" : `the hook ${denial.hook}`;
  if ("rule" in denial) return `the rule ${denial.rule}`;
  return `the clause ${denial.clause} of the policy ${denial.policy}`;
}

/** A rule by its name. A permission mode is recorded as a rule that begins with `mode`. */
export const ruleText = (rule: string): string =>
  rule.startsWith("mode ") ? `the ${rule}` : `the rule ${rule}`;
