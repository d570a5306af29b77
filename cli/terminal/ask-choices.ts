import { type AskView, openAskView } from "../../present/asks.ts";
import type { Ask } from "../../runtime/task/ask.ts";
import { formatSuggestion } from "./followup.ts";
import type { Choice } from "./input/choice-menu.ts";
import { type OfferedWords, offeredWords } from "./questions.ts";

/** Columns of a word in the list of answers. */
const WORD_WIDTH = 8;

/** The answers to an ask that can be chosen; none where there is only a text. */
export function askChoices(ask: Ask, offered: OfferedWords): readonly Choice[] {
  const view = openAskView(ask);
  switch (ask.kind) {
    case "question":
      if (ask.suggestions.length === 0) return [];
      return [
        ...ask.suggestions.map((suggestion, at) => ({
          line: String(at + 1),
          row: formatSuggestion(suggestion, at),
        })),
        wordChoice("q", view),
      ];
    case "completion":
    case "resume":
      return ["y", "q"].map((word) => wordChoice(word, view));
    case "resume_completed":
    case "command_output":
      return [];
    default:
      return offeredWords(offered, view).map((word) => wordChoice(word, view));
  }
}

function wordChoice(word: string, { yes = "Yes", no = "No", isFinal = false }: AskView): Choice {
  const about: Readonly<Record<string, string>> = {
    y: yes,
    n: no,
    always: "Allow such calls from now on: choose a rule",
    e: "Edit the proposal",
    v: "View all of it",
    q: isFinal ? "Quit" : "Quit; the task can be resumed later",
  };
  return { line: word, row: `${word.padEnd(WORD_WIDTH)}${about[word] ?? ""}` };
}
