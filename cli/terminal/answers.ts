import type { AnswerResult } from "../../actors/index.ts";
import type { TypedAsk } from "../../client/index.ts";

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
export function react(ask: Exclude<TypedAsk, { kind: "command_output" }>, line: string): Reaction {
  const words = line.trim();
  switch (ask.kind) {
    case "tool":
    case "command":
    case "use_mcp_server":
    case "browser_action_launch":
      return yesNoOr(
        words,
        () => ask.approve(),
        () => ask.reject(),
        (text) => ask.reject({ text }),
      );
    case "followup":
      return followUp(ask, words);
    case "completion_result":
      return words === "" ? answered(ask.accept()) : answered(ask.reply(words));
    case "api_req_failed":
      return yesNoOr(
        words,
        () => ask.retry(),
        () => ask.decline(),
      );
    case "mistake_limit_reached":
      return yesNoOr(
        words,
        () => ask.proceed(),
        () => ask.decline(),
        (text) => ask.reply(text),
      );
    case "auto_approval_max_req_reached":
      return yesNoOr(
        words,
        () => ask.proceed(),
        () => ask.decline(),
      );
    case "resume_task":
      if (isQuit(words)) return { kind: "leave" };
      return answered(words === "" ? ask.resume() : ask.resume({ text: words }));
    case "resume_completed_task":
      if (isQuit(words)) return { kind: "leave" };
      return words === "" ? { kind: "unclear", hint: "Say something, or q." } : answered(ask.reply(words));
  }
}

function followUp(ask: Extract<TypedAsk, { kind: "followup" }>, words: string): Reaction {
  if (words === "") return { kind: "unclear", hint: "The agent waits for an answer." };
  if (!/^\d{1,2}$/.test(words)) return answered(ask.reply(words));
  const chosen = ask.suggestions[Number(words) - 1];
  // Where there is nothing to choose from, a number is an answer like any other.
  if (chosen !== undefined || ask.suggestions.length === 0) return answered(ask.reply(chosen ?? words));
  return { kind: "unclear", hint: `There are ${ask.suggestions.length} answers to choose from.` };
}

function yesNoOr(
  words: string,
  yes: () => AnswerResult,
  no: () => AnswerResult,
  other?: (text: string) => AnswerResult,
): Reaction {
  if (/^y(es)?$/i.test(words)) return answered(yes());
  if (/^no?$/i.test(words)) return answered(no());
  if (words === "" || other === undefined) return { kind: "unclear", hint: "Please say y or n." };
  return answered(other(words));
}

const answered = (result: AnswerResult): Reaction => ({ kind: "answered", result });
const isQuit = (words: string): boolean => /^(q|quit|exit)$/i.test(words);
