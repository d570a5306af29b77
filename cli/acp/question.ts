import { CreateElicitationResponse, type ElicitationSchema } from "@agentclientprotocol/sdk/unstable";
import type { AnswerResult } from "../../actors/ask/open-asks.ts";
import type { QuestionAsk } from "../../runtime/task/ask.ts";

/** The form of a question: one of its suggestions, or another text. */
export function questionForm({ suggestions }: QuestionAsk): ElicitationSchema {
  const text = { type: "string", title: suggestions.length === 0 ? "Answer" : "Another answer" } as const;
  if (suggestions.length === 0)
    return { type: "object", properties: { text: { ...text, minLength: 1 } }, required: ["text"] };
  const choice = {
    type: "string",
    title: "Suggestion",
    oneOf: suggestions.map(({ answer }, index) => ({ const: String(index), title: answer })),
  } as const;
  return { type: "object", properties: { choice, text } };
}

/** Answer the question with what the form has. Undefined: the form has no answer. */
export function answerQuestion(
  ask: QuestionAsk,
  response: CreateElicitationResponse,
): AnswerResult | undefined {
  if (!CreateElicitationResponse.isAccept(response)) return undefined;
  const { text, choice } = response.content ?? {};
  if (typeof text === "string" && text.trim() !== "") return ask.answer(text);
  const suggestion = typeof choice === "string" ? ask.suggestions[Number(choice)] : undefined;
  return suggestion && ask.choose(suggestion);
}
