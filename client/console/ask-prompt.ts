import type { AnswerResult } from "../../actors/index.ts";
import type { Ask, CommandOutputAsk } from "../../runtime/index.ts";
import { printable } from "../printable/index.ts";
import { type ParsedLine, parseChoice, parseText, parseYesNo, value } from "./line-parsers.ts";
import type { PromptManager, PromptReply } from "./prompt-manager.ts";

/** Gives an answer; undefined to leave the ask open. */
export type GiveAnswer = () => AnswerResult | undefined;

/** An ask that blocks the task until it is answered. */
export type BlockingAsk = Exclude<Ask, CommandOutputAsk>;

/**
 * Parse a person's line as the answer to an ask: yes or no, the number of a suggestion, or free text; `n` or `q` leaves a
 * task at rest as it is. An unclear or empty line is never guessed: it returns a hint, and the caller decides what an
 * empty line means for its question.
 *
 * @example
 * ```ts
 * import { parseAnswer } from "signalbox/client";
 * import { type Ask } from "signalbox";
 * function answer(ask: Ask, line: string): string {
 *   if (ask.kind === "command_output") return "It needs no answer.";
 *   const parsed = parseAnswer(ask, line);
 *   if (parsed.kind === "unclear") return parsed.hint;
 *   const result = parsed.value();
 *   return result?.taken === false ? result.message : "Answered.";
 * }
 * ```
 */
export function parseAnswer(ask: BlockingAsk, line: string): ParsedLine<GiveAnswer> {
  const text = line.trim();
  switch (ask.kind) {
    case "tool":
    case "command":
    case "use_mcp_server":
    case "browser_action_launch":
      return yesNo(text, { yes: () => ask.approve(), no: () => ask.reject() }, () => ask.reject({ text }));
    case "followup":
      return map(
        parseChoice(
          ask.suggestions.map(({ answer }) => answer),
          true,
        )(line),
        (text) => () => {
          const suggestion = ask.suggestions.find(({ answer }) => answer === text);
          return suggestion === undefined ? ask.reply(text) : ask.choose(suggestion);
        },
      );
    case "completion_result":
      return map(parseText(text), (text) => () => ask.reply(text));
    case "api_req_failed":
      return yesNo(text, { yes: () => ask.retry(), no: () => ask.decline() });
    case "mistake_limit_reached":
      return yesNo(text, { yes: () => ask.proceed(), no: () => ask.decline() }, () => ask.reply(text));
    case "auto_approval_max_req_reached":
      return yesNo(text, { yes: () => ask.proceed(), no: () => ask.decline() });
    case "resume_task":
      if (isLeaving(text)) return value(leave);
      return yesNo(text, { yes: () => ask.resume(), no: leave }, () => ask.resume({ text }));
    case "resume_completed_task":
      if (isLeaving(text)) return value(leave);
      return map(parseText(text), (text) => () => ask.reply(text));
  }
}

/** Leaves the ask open. */
const leave: GiveAnswer = () => undefined;

const isLeaving = (text: string): boolean => /^(q|quit|exit)$/i.test(text);

const map = <T>(reading: ParsedLine<T>, to: (value: T) => GiveAnswer): ParsedLine<GiveAnswer> =>
  reading.kind === "value" ? value(to(reading.value)) : reading;

/** With `other`, any other text is an answer too. */
function yesNo(
  text: string,
  { yes, no }: { readonly yes: GiveAnswer; readonly no: GiveAnswer },
  other?: GiveAnswer,
): ParsedLine<GiveAnswer> {
  const reading = map(parseYesNo(text), (isYes) => (isYes ? yes : no));
  const isOther = reading.kind === "unclear" && text !== "" && other !== undefined;
  return isOther ? value(other) : reading;
}

/** A question to a person, and the answer for an empty line or the end of the input. */
interface Question {
  readonly question: string;
  readonly default?: GiveAnswer;
}

/** Ask a person to answer an ask; resolves with undefined for an ask that does not block. */
export async function promptForAnswer(
  ask: Ask,
  prompts: PromptManager,
  signal: AbortSignal,
): Promise<PromptReply<GiveAnswer> | undefined> {
  if (ask.kind === "command_output") return undefined;
  const { question, ...rest } = questionOf(ask);
  const reason =
    "reason" in ask && ask.reason !== undefined ? `Asked because ${printable(ask.reason)}.\n` : "";
  return prompts.ask(reason + question, (line) => parseAnswer(ask, line), { signal, ...rest });
}

function questionOf(ask: BlockingAsk): Question {
  switch (ask.kind) {
    case "tool":
    case "use_mcp_server":
    case "browser_action_launch":
      return { question: "Allow it? (y/N, or what to do instead) ", default: () => ask.reject() };
    case "command":
      return { question: "Run it? (y/N, or what to do instead) ", default: () => ask.reject() };
    case "followup":
      return { question: ask.suggestions.length > 0 ? "A number, or your own answer: " : "Your answer: " };
    case "completion_result":
      return { question: "Enter to accept, or what is missing: ", default: () => ask.accept() };
    case "api_req_failed":
      return { question: "Try again? (y/N) ", default: () => ask.decline() };
    case "mistake_limit_reached":
      return { question: "Continue? (y/N, or what to do differently) ", default: () => ask.decline() };
    case "auto_approval_max_req_reached":
      return { question: "Continue? (y/N) ", default: () => ask.decline() };
    case "resume_task":
      return { question: "Resume it? (y/N, or a message to resume with) ", default: leave };
    case "resume_completed_task":
      return { question: "What next? ", default: leave };
  }
}
