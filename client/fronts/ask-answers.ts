import type { AnswerResult } from "../../actors/index.ts";
import type { CommandOutputAsk, TypedAsk } from "../../runtime/index.ts";
import { type Reading, readChoice, readText, readYesNo, value } from "./readings.ts";

/** Gives an answer; undefined where the person leaves the ask as it is. */
export type Act = () => AnswerResult | undefined;

/** An ask that waits for a person. */
export type PersonsAsk = Exclude<TypedAsk, CommandOutputAsk>;

/**
 * What a person's line means as the answer to an ask: yes or no; to what takes words, those; to a question, a suggestion
 * by its number; `n` or `q` leaves a task that rests. A line that isn't clear is asked about again, never guessed, and
 * so is an empty one: what it means is for the front to say, which has shown the question.
 *
 * @example
 * ```ts
 * import { readAnswer } from "signalbox/client";
 * import { type TypedAsk } from "signalbox";
 * function say(ask: TypedAsk, line: string): string {
 *   if (ask.kind === "command_output") return "It needs no answer.";
 *   const reading = readAnswer(ask, line);
 *   if (reading.kind === "unclear") return reading.hint;
 *   const result = reading.value();
 *   return result?.taken === false ? result.message : "Thank you.";
 * }
 * ```
 */
export function readAnswer(ask: PersonsAsk, line: string): Reading<Act> {
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
        () => ask.reject({ text: words }),
      );
    case "followup":
      return then(readChoice(ask.suggestions, true)(line), (text) => () => ask.reply(text));
    case "completion_result":
      return then(readText(words), (text) => () => ask.reply(text));
    case "api_req_failed":
      return yesNo(
        words,
        () => ask.retry(),
        () => ask.decline(),
      );
    case "mistake_limit_reached":
      return yesNoOr(
        words,
        () => ask.proceed(),
        () => ask.decline(),
        () => ask.reply(words),
      );
    case "auto_approval_max_req_reached":
      return yesNo(
        words,
        () => ask.proceed(),
        () => ask.decline(),
      );
    case "resume_task":
      if (isLeaving(words)) return value(leave);
      return yesNoOr(
        words,
        () => ask.resume(),
        leave,
        () => ask.resume({ text: words }),
      );
    case "resume_completed_task":
      if (isLeaving(words)) return value(leave);
      return then(readText(words), (text) => () => ask.reply(text));
  }
}

/** Leaves the ask as it is. */
export const leave: Act = () => undefined;

const isLeaving = (words: string): boolean => /^(q|quit|exit)$/i.test(words);

const then = <T>(reading: Reading<T>, to: (of: T) => Act): Reading<Act> =>
  reading.kind === "value" ? value(to(reading.value)) : reading;

const yesNo = (words: string, yes: Act, no: Act): Reading<Act> =>
  then(readYesNo(words), (isYes) => (isYes ? yes : no));

/** Other words are an answer too. */
const yesNoOr = (words: string, yes: Act, no: Act, other: Act): Reading<Act> => {
  const reading = yesNo(words, yes, no);
  return reading.kind === "value" || words === "" ? reading : value(other);
};
