import { CreateElicitationResponse, type ElicitationSchema } from "@agentclientprotocol/sdk/unstable";
import type { FollowupAsk } from "../../runtime/index.ts";

/** The form of a question: one of its suggestions, or another text. */
export function questionForm({ suggestions }: FollowupAsk): ElicitationSchema {
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

/** Answer the question with what the form has. False: the form has no answer. */
export function answerQuestion(ask: FollowupAsk, response: CreateElicitationResponse): boolean {
  if (!CreateElicitationResponse.isAccept(response)) return false;
  const { text, choice } = response.content ?? {};
  if (typeof text === "string" && text.trim() !== "") {
    ask.reply(text);
    return true;
  }
  const suggestion = typeof choice === "string" ? ask.suggestions[Number(choice)] : undefined;
  if (suggestion === undefined) return false;
  ask.choose(suggestion);
  return true;
}
