import type { AssistantBlock, UserBlock } from "../../machines/conversation/entry.ts";
import { sentConversation } from "../../machines/conversation/sent.ts";
import { validateConversation } from "../../machines/conversation/validate.ts";
import type { TaskEmitted } from "../../machines/task/task.events.ts";
import { MONITORED_LAWS } from "../monitor/monitored-laws.ts";
import { startedIds } from "./changes.ts";
import { firstViolation, type Law, type Step } from "./law.ts";

function conversationIsValid(step: Step): string | undefined {
  if (startedIds(step, "llm").length === 0 && startedIds(step, "condense").length === 0) return undefined;
  const { conversation, requestModel } = step.after.context;
  const mayEndWithAssistant =
    step.before.context.turn.stopReason === "pause_turn" ||
    (step.before.activeActors.has("condense") &&
      step.before.context.conversation.at(-1) === conversation.at(-1));
  const sent = sentConversation(conversation, requestModel?.model);
  const faults = validateConversation(sent, { mayEndWithAssistant });
  return faults.length === 0
    ? undefined
    : faults.map(({ fault, message }) => `${fault}: ${message}`).join(" ");
}

type Content = readonly (AssistantBlock | UserBlock)[];

/** Content that the macrostep added to assistant entries. */
function assistantContent({ emitted, before }: Step): readonly Content[] {
  const added: Content[] = [];
  let role = before.context.conversation.at(-1)?.role;
  for (const event of emitted) {
    if (event.type === "entry.appended") role = event.entry.role;
    const content = contentOf(event);
    if (role === "assistant" && content !== undefined) added.push(content);
  }
  return added;
}

/** Content that an emitted event adds to the conversation. */
export function contentOf(event: TaskEmitted): Content | undefined {
  if (event.type === "entry.appended") return event.entry.content;
  return event.type === "entry.extended" ? event.content : undefined;
}

/** A complete response is kept unchanged; of a cut one only the text. */
function responseIsUnchanged(step: Step): string | undefined {
  const { event } = step;
  for (const content of assistantContent(step)) {
    if (event.type === "llm.finished") {
      if (content !== event.content) return "the response was changed in the conversation";
    } else if (content.some(({ type }) => type !== "text"))
      return `after ${event.type} thinking or tool calls of a cut response were kept`;
  }
  return undefined;
}

/** L6: the model's API accepts the conversation of every request. */
export const pairing: Law = {
  id: "L6",
  title: MONITORED_LAWS.L6.title,
  violation: firstViolation(conversationIsValid, responseIsUnchanged),
};
