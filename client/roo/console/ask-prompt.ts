import type { AnswerResult } from "../../../actors/ask/open-asks.ts";
import { answerHint, askView, isApproval } from "../../../present/asks.ts";
import type { Ask, CommandOutputAsk, QuestionAsk } from "../../../runtime/task/ask.ts";
import { printable } from "../../printable/printable.ts";
import { answerWord } from "./answer-word.ts";
import { type ParsedLine, parseChoice, unclear, value } from "./line-parsers.ts";
import type { PromptManager, PromptReply } from "./prompt-manager.ts";

/** Gives an answer; undefined to leave the ask open. */
export type GiveAnswer = () => AnswerResult | undefined;

/** An ask that blocks the task until it is answered. */
export type BlockingAsk = Exclude<Ask, CommandOutputAsk>;

/**
 * Parse a person's line as the answer to an ask. Some words mean the same at every ask: `y`, `n`, and
 * `q`, which leaves the ask open, as `n` does for a task at rest. Other text is free text, or the number of a suggestion. A
 * word that is no answer to this ask, or an empty line, is never guessed: it returns a hint, and the caller decides what
 * an empty line means for its question.
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
 *   return result?.ok === false ? result.message : "Answered.";
 * }
 * ```
 */
export function parseAnswer(ask: BlockingAsk, line: string): ParsedLine<GiveAnswer> {
  const text = line.trim();
  const word = answerWord(text);
  if (word === "quit") return value(leave);
  if (ask.kind === "question") return parseRequested(ask, word) ?? parseReply(ask, line);
  const { yes, no, words } = meaningsOf(ask);
  const meant = word === "yes" ? yes : word === "no" ? no : undefined;
  if (meant !== undefined) return value(meant);
  if (word === undefined && text !== "" && words !== undefined) return value(() => words(text));
  const expected = yes !== undefined && no !== undefined ? "Please answer y or n." : "Please type an answer.";
  return unclear(word === undefined ? expected : `'${text}' is no answer here. ${expected}`);
}

/** The meanings of words at an ask. A word without a meaning is never taken as free text. */
interface Meanings {
  readonly yes?: GiveAnswer;
  readonly no?: GiveAnswer;
  /** Free text; absent where there is no answer with a text. */
  readonly words?: (text: string) => AnswerResult;
}

/** Leaves the ask open. */
const leave: GiveAnswer = () => undefined;

function meaningsOf(ask: Exclude<BlockingAsk, { kind: "question" }>): Meanings {
  switch (ask.kind) {
    case "tool":
    case "command":
    case "mcp":
    case "browser":
      return {
        yes: () => ask.approve(),
        no: () => ask.reject(),
        words: (text) => ask.reject({ text }),
      };
    case "completion":
      return { yes: () => ask.approve(), words: (text) => ask.answer(text) };
    case "failure":
      return { yes: () => ask.approve(), no: () => ask.reject() };
    case "mistakes":
      return { yes: () => ask.approve(), no: () => ask.reject(), words: (text) => ask.answer(text) };
    case "limit":
      return { yes: () => ask.approve(), no: () => ask.reject() };
    case "resume":
      return { yes: () => ask.approve(), no: leave, words: (text) => ask.approve({ text }) };
    case "resume_completed":
      return { no: leave, words: (text) => ask.answer(text) };
  }
}

/** A word at the request of a tool call: it accepts or declines. */
function parseRequested(
  { elicitation }: QuestionAsk,
  word: ReturnType<typeof answerWord>,
): ParsedLine<GiveAnswer> | undefined {
  if (elicitation === undefined || word === undefined) return undefined;
  return value(() => (word === "yes" ? elicitation.accept() : elicitation.decline()));
}

/** The number of a suggestion, its text, or other words. The question is the model's: `y` is text. */
function parseReply(ask: QuestionAsk, line: string): ParsedLine<GiveAnswer> {
  const reading = parseChoice(
    ask.suggestions.map(({ answer }) => answer),
    true,
  )(line);
  if (reading.kind === "unclear") return reading;
  const suggestion = ask.suggestions.find(({ answer }) => answer === reading.value);
  return value(() => (suggestion === undefined ? ask.answer(reading.value) : ask.choose(suggestion)));
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
    isApproval(ask.type) && ask.reason !== undefined ? `Asked because ${printable(ask.reason)}.\n` : "";
  return prompts.ask(reason + question, (line) => parseAnswer(ask, line), { signal, ...rest });
}

function questionOf(ask: BlockingAsk): Question {
  if (ask.kind === "question") return { question: `${answerHint(ask.suggestions)}: ` };
  const { yes, no = leave } = meaningsOf(ask);
  const view = askView(ask.type, ask);
  if (view.default === "yes" && yes !== undefined)
    return { question: `Enter to accept, or ${view.text}: `, default: yes };
  const words = view.text === undefined ? "y/N" : `y/N, or ${view.text}`;
  return {
    question: `${view.question} ${yes === undefined || view.isFinal === true ? "" : `(${words}) `}`,
    default: no,
  };
}
