import { validateHistory } from "../../machines/conversation/index.ts";
import type { Law } from "./law.ts";

/** L6: the history of every request that is sent is one that the model's API takes. */
export const pairing: Law = {
  id: "L6",
  title: "every history that is sent pairs calls and results",
  violation({ after, emitted }) {
    const sends = emitted.some((piece) => piece.type === "effect.started" && piece.effect === "llm");
    if (!sends) return undefined;
    const wrong = validateHistory(after.context.conversation, { mayEndWithAssistant: true });
    return wrong.length === 0 ? undefined : wrong.map((violation) => JSON.stringify(violation)).join("; ");
  },
};
