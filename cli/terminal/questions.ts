import type { AnswerResult } from "../../actors/ask/open-asks.ts";
import { printable } from "../../client/printable/printable.ts";
import { answerWord } from "../../client/roo/console/answer-word.ts";
import { type BlockingAsk, parseAnswer } from "../../client/roo/console/ask-prompt.ts";
import { ASK_VIEWS, type AskView, answerHint, askView } from "../../present/asks.ts";
import { callLines, callQuestion, callTitle } from "../../present/call-text.ts";
import { parseCall } from "../../present/parse-call.ts";
import type { ApprovalAsk, Ask } from "../../runtime/task/ask.ts";
import { CALL_LINES_MAX } from "./view.ts";

/** Maximum characters of a call's title in its question. */
const TITLE_CHARS_MAX = 100;

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

/** The full content that a person is asked about. Undefined where nothing of it can be hidden. */
export function hiddenContent({ type: ask, text }: Ask): string | undefined {
  if (ask === "command") return isCut(text) ? text : undefined;
  const call = parseCall({ ask, text });
  const lines = call === undefined ? [] : callLines(call);
  return call !== undefined && lines.length > CALL_LINES_MAX
    ? [callTitle(call), ...lines].join("\n")
    : undefined;
}

/** The words that a question offers. */
export interface OfferedWords {
  /** Whether a rule is offered that allows such calls. */
  readonly always?: boolean;
  /** Whether the proposal can be edited. */
  readonly edit?: boolean;
  /** Whether content is hidden. */
  readonly view?: boolean;
}

/** The words that answer a yes-or-no question. */
export const offeredWords = (
  { always = false, edit = false, view = false }: OfferedWords,
  { isFinal = false }: Pick<AskView, "isFinal">,
): readonly string[] => [
  ...(isFinal ? [] : ["y"]),
  "n",
  ...(always ? ["always"] : []),
  ...(edit ? ["e"] : []),
  ...(view ? ["v"] : []),
  "q",
];

/** Format the question of an ask, with the words that answer it; undefined for an ask that needs no answer. */
export function formatQuestion(ask: Ask, offered: OfferedWords = {}): string | undefined {
  const asked = askView(ask.type, ask);
  const { question, text } = asked;
  const words = offeredWords(offered, asked)
    .map((word) => (word === "e" ? "e(dit)" : word))
    .join("/");
  const orText = text === undefined ? "" : `, or type ${text}`;
  switch (ask.kind) {
    case "tool":
    case "mcp":
    case "browser":
    case "command":
      return `${formatTarget(ask)} ${words}${orText}: `;
    case "question":
      return `${answerHint(ask.suggestions)} (q quits): `;
    case "completion":
      return `Type ${text}, y to accept, q to leave: `;
    case "resume":
      return `Enter to resume, ${words}${orText}: `;
    case "resume_completed":
      return `Type ${text}, or n/q to quit: `;
    case "command_output":
      return undefined;
    default:
      return `${question} ${words}${asked.isFinal === true ? " to leave" : orText}: `;
  }
}

/** The effect of a call, in the last line that a person reads: `Edit src/a.ts (+3 -1)?` */
export function formatTarget({ kind, type, text, tool }: ApprovalAsk): string {
  if (kind === "command")
    return `Run \`${cutTitle(text)}\`${tool?.input.background === true ? " in the background" : ""}?`;
  const call = parseCall({ ask: type, text });
  return call === undefined ? ASK_VIEWS[type].question : `${cutTitle(callQuestion(call))}?`;
}

const isCut = (text: string): boolean => text.includes("\n") || text.length > TITLE_CHARS_MAX;

function cutTitle(text: string): string {
  const [line = ""] = printable(text.trim()).split("\n", 1);
  return line.length === text.trim().length && line.length <= TITLE_CHARS_MAX
    ? line
    : `${line.slice(0, TITLE_CHARS_MAX)}...`;
}

/** Whether a line at this ask is a message to the model. A question of the model gets the answer alone. */
export const takesMessage = ({ kind }: BlockingAsk, line: string): boolean =>
  kind !== "question" && line.trim() !== "" && answerWord(line) === undefined;

/** Answer the ask with a line. An unclear line is asked again, never guessed. */
export function applyAnswer(ask: BlockingAsk, line: string): Reaction {
  const reading = line.trim() === "" ? byEnter(ask) : parseAnswer(ask, line);
  if (reading.kind === "unclear") return reading;
  const result = reading.value();
  return result === undefined ? { kind: "leave" } : { kind: "answered", result };
}

/** The meaning of an empty line. It never approves a tool call (L7), and never ends the program. */
function byEnter(ask: BlockingAsk): ReturnType<typeof parseAnswer> {
  if (ask.kind === "resume") return { kind: "value", value: () => ask.approve() };
  if (ask.kind === "completion")
    return { kind: "unclear", hint: "An empty line is not an answer. To leave: y, q or Ctrl-D." };
  return parseAnswer(ask, "");
}
