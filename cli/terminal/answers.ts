import type { AnswerResult } from "../../actors/index.ts";
import { type PersonsAsk, readAnswer } from "../../client/index.ts";
import type { TypedAsk } from "../../runtime/index.ts";

/** What a line comes to: an answer that was given, a word about what is expected, or leaving. */
export type Reaction =
  | { readonly kind: "answered"; readonly result: AnswerResult }
  | { readonly kind: "unclear"; readonly hint: string }
  | { readonly kind: "leave" };

/** What is asked of the person in the line where they answer; undefined for an ask that waits for nobody. */
export function questionOf(ask: TypedAsk): string | undefined {
  switch (ask.kind) {
    case "tool":
    case "use_mcp_server":
    case "browser_action_launch":
      return "Allow it? y/n, or say what to do instead: ";
    case "command":
      return "Run it? y/n, or say what to do instead: ";
    case "followup":
      return ask.suggestions.length > 0 ? "A number, or an answer of your own: " : "Your answer: ";
    case "completion_result":
      return "Enter to accept, or say what is missing: ";
    case "api_req_failed":
      return "Try again? y/n: ";
    case "mistake_limit_reached":
      return "Go on? y/n, or say what to do differently: ";
    case "auto_approval_max_req_reached":
      return "Go on? y/n: ";
    case "resume_task":
      return "Enter to resume, or say something along with it; q to leave: ";
    case "resume_completed_task":
      return "Say what to do next; q to leave: ";
    case "command_output":
      return undefined;
  }
}

/** Gives the ask the answer that the line means. What isn't clear is asked again, never guessed. */
export function react(ask: PersonsAsk, line: string): Reaction {
  const reading = (line.trim() === "" && byEnter(ask)) || readAnswer(ask, line);
  if (reading.kind === "unclear") return reading;
  const result = reading.value();
  return result === undefined ? { kind: "leave" } : { kind: "answered", result };
}

/** What Enter alone means. To a call it means nothing: who approves it says so (L7). */
function byEnter(ask: PersonsAsk): ReturnType<typeof readAnswer> | undefined {
  if (ask.kind === "completion_result") return { kind: "value", value: () => ask.accept() };
  return ask.kind === "resume_task" ? { kind: "value", value: () => ask.resume() } : undefined;
}
