import { validateHistory } from "../../machines/conversation/index.ts";
import { startedIn } from "./changes.ts";
import { firstOf, type Law, type Step } from "./law.ts";

function historyIsGood(step: Step): string | undefined {
  if (startedIn(step, "llm").length === 0) return undefined;
  const mayEndWithAssistant = step.before.context.turn.stopReason === "pause_turn";
  const wrong = validateHistory(step.after.context.conversation, { mayEndWithAssistant });
  return wrong.length === 0 ? undefined : wrong.map(({ fault, message }) => `${fault}: ${message}`).join(" ");
}

const saidByModel = ({ emitted, before }: Step) =>
  emitted.flatMap((piece) => {
    if (piece.type === "entry.appended" && piece.entry.role === "assistant") return [piece.entry.content];
    const extends_ =
      piece.type === "entry.extended" && before.context.conversation.at(-1)?.role === "assistant";
    return extends_ ? [piece.content] : [];
  });

/** A whole answer goes back as it came; of a cut one only its words. */
function answerIsAsItCame(step: Step): string | undefined {
  const { event } = step;
  for (const content of saidByModel(step)) {
    if (event.type === "llm.finished") {
      if (content !== event.content) return "the answer is not in the conversation as it came";
    } else if (
      content.some((block) => block.type !== "text" && block.type !== "image" && block.type !== "tool_result")
    )
      return `after ${event.type} thinking or calls of a cut answer were kept`;
  }
  return undefined;
}

/** L6: the history of every request that is sent is one that the model's API takes. */
export const pairing: Law = {
  id: "L6",
  title: "every history that is sent pairs calls and results, and holds answers as they came",
  violation: firstOf(historyIsGood, answerIsAsItCame),
};
