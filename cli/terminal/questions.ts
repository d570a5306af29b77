import type { AnswerResult } from "../../actors/index.ts";
import { type BlockingAsk, parseAnswer } from "../../client/index.ts";
import type { ApprovalAsk, Ask } from "../../runtime/index.ts";

/** The effect of a line: an answer that was given, a hint about what is expected, or quitting. */
export type Reaction =
  | { readonly kind: "answered"; readonly result: AnswerResult }
  | { readonly kind: "unclear"; readonly hint: string }
  | { readonly kind: "leave" };

/** An ask for which "always" is an answer, with a rule. */
export type AlwaysAsk = ApprovalAsk & { readonly rules: readonly [string, ...string[]] };

export function offersAlways(ask: Ask): ask is AlwaysAsk {
  return "rules" in ask && ask.rules.length > 0;
}

/** What an approval offers besides yes and no: a rule, and an edit of the proposal. */
export interface Offers {
  readonly always?: boolean;
  readonly edit?: boolean;
}

/** Format the question of an ask; undefined for an ask that needs no answer. */
export function formatQuestion(ask: Ask, offers: Offers = {}): string | undefined {
  const more = `${offers.edit === true ? ", e: edit" : ""}${offers.always === true ? ", a: always" : ""}`;
  switch (ask.kind) {
    case "tool":
    case "use_mcp_server":
    case "browser_action_launch":
      return `Allow it? y/n${more}, or type what to do instead: `;
    case "command":
      return `Run it? y/n${more}, or type what to do instead: `;
    case "followup":
      return ask.suggestions.length > 0 ? "A number, or your own answer: " : "Your answer: ";
    case "completion_result":
      return "Enter to accept, or type what is missing: ";
    case "api_req_failed":
      return "Try again? y/n: ";
    case "mistake_limit_reached":
      return "Continue? y/n, or give guidance: ";
    case "auto_approval_max_req_reached":
      return "Continue? y/n: ";
    case "resume_task":
      return "Enter to resume, or type a message; q to quit: ";
    case "resume_completed_task":
      return "Type what to do next; q to quit: ";
    case "command_output":
      return undefined;
  }
}

/** Answer the ask with a line. An unclear line is asked again, never guessed. */
export function applyAnswer(ask: BlockingAsk, line: string): Reaction {
  const reading = (line.trim() === "" && byEnter(ask)) || parseAnswer(ask, line);
  if (reading.kind === "unclear") return reading;
  const result = reading.value();
  return result === undefined ? { kind: "leave" } : { kind: "answered", result };
}

/** The meaning of an empty line. It never approves a tool call (L7). */
function byEnter(ask: BlockingAsk): ReturnType<typeof parseAnswer> | undefined {
  if (ask.kind === "completion_result") return { kind: "value", value: () => ask.accept() };
  return ask.kind === "resume_task" ? { kind: "value", value: () => ask.resume() } : undefined;
}
