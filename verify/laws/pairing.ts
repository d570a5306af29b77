import { type AssistantBlock, type UserBlock, validateHistory } from "../../machines/conversation/index.ts";
import type { TaskEmitted } from "../../machines/task/index.ts";
import { startedIn } from "./changes.ts";
import { firstViolation, type Law, type Step } from "./law.ts";

function historyIsGood(step: Step): string | undefined {
  if (startedIn(step, "llm").length === 0) return undefined;
  const mayEndWithAssistant = step.before.context.turn.stopReason === "pause_turn";
  const wrong = validateHistory(step.after.context.conversation, { mayEndWithAssistant });
  return wrong.length === 0 ? undefined : wrong.map(({ fault, message }) => `${fault}: ${message}`).join(" ");
}

type Said = readonly (AssistantBlock | UserBlock)[];

/** What the macrostep put into entries of the model: into new ones, and into the last one where it is the model's. */
function saidByModel({ emitted, before }: Step): readonly Said[] {
  const said: Said[] = [];
  let role = before.context.conversation.at(-1)?.role;
  for (const piece of emitted) {
    if (piece.type === "entry.appended") role = piece.entry.role;
    const content = contentOf(piece);
    if (role === "assistant" && content !== undefined) said.push(content);
  }
  return said;
}

function contentOf(piece: TaskEmitted): Said | undefined {
  if (piece.type === "entry.appended") return piece.entry.content;
  return piece.type === "entry.extended" ? piece.content : undefined;
}

/** A whole answer goes back as it came; of a cut one only its words. */
function answerIsAsItCame(step: Step): string | undefined {
  const { event } = step;
  for (const content of saidByModel(step)) {
    if (event.type === "llm.finished") {
      if (content !== event.content) return "the answer is not in the conversation as it came";
    } else if (content.some(({ type }) => type !== "text"))
      return `after ${event.type} thinking or calls of a cut answer were kept`;
  }
  return undefined;
}

/** L6: the history of every request that is sent is one that the model's API takes. */
export const pairing: Law = {
  id: "L6",
  title: "every history that is sent pairs calls and results, and holds answers as they came",
  violation: firstViolation(historyIsGood, answerIsAsItCame),
};
