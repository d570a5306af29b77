import { printable } from "../../client/printable/printable.ts";
import type { QuestionAsk } from "../../runtime/task/ask.ts";
import type { Style } from "../show/style.ts";

/** Format the model's question, with the suggestions to choose from. */
export function formatFollowup(
  { question, suggestions }: Pick<QuestionAsk, "question" | "suggestions">,
  style: Style,
): readonly string[] {
  return [
    `${style.bold("?")} ${printable(question)}`,
    ...suggestions.map((suggestion, index) => `  ${formatSuggestion(suggestion, index)}`),
  ];
}

/** Format a suggestion with its number. */
export const formatSuggestion = (
  { answer, mode }: QuestionAsk["suggestions"][number],
  index: number,
): string => `${index + 1}. ${printable(answer)}${mode === undefined ? "" : ` (mode ${printable(mode)})`}`;
