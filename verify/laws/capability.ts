import type { Decision } from "../../machines/tool-call/index.ts";
import type { Law } from "./law.ts";

/** L7: a call starts only under a decision of its own, made in the same macrostep or before, and used once. */
export const capability: Law = {
  id: "L7",
  title: "no call starts without a recorded decision for it, used once",
  violation({ before, event, after, emitted }) {
    const decisions = new Map<string, Decision>();
    for (const call of before.context.turn.calls) {
      if (call.phase === "approved") decisions.set(call.callId, call.decision);
    }
    for (const piece of emitted) {
      if (piece.type === "decision.made") {
        if (decisions.has(piece.decision.callId)) return `${piece.decision.callId} was decided twice`;
        const who =
          "person" in piece.decision.by
            ? namesItsAsk(event, before.context.ask?.callId, piece.decision)
            : undefined;
        if (who !== undefined) return who;
        decisions.set(piece.decision.callId, piece.decision);
      }
      if (piece.type !== "effect.started" || piece.effect !== "tool") continue;
      const callId = piece.id.slice("tool:".length);
      const decision = decisions.get(callId);
      if (decision === undefined) return `${callId} started without a decision of its own`;
      decisions.delete(callId);
      const call = after.context.turn.calls.find((candidate) => candidate.callId === callId);
      if (call?.phase === "running" && call.review.digest !== decision.digest)
        return `${callId} ran under another digest`;
    }
    return undefined;
  },
};

function namesItsAsk(
  event: { type: string },
  asked: string | undefined,
  decision: Decision,
): string | undefined {
  if (event.type !== "ask.answered")
    return `a person's decision for ${decision.callId} came from ${event.type}`;
  return asked === decision.callId ? undefined : `an answer about ${asked} decided ${decision.callId}`;
}
