import type { Phase } from "../../machines/tool-call/call.ts";
import { inputRequest } from "./elicitation.ts";
import type { Feature } from "./feature.ts";
import { invalidReview } from "./reviews.ts";

/** An actor of a call that was stopped, or never started, still sends an event. */
export const lateCalls: Feature = {
  name: "late calls",
  events: ({ view, bounds, at }) => {
    const { calls } = view.context.turn;
    const callId = calls.find(({ phase }) => !ATTENDED.has(phase))?.callId ?? "0/gone";
    return [
      { type: "tool.finished", at, callId, content: [] },
      invalidReview(callId, at),
      ...(bounds.elicits ? [inputRequest(callId, at)] : []),
    ];
  },
};

/** The phases in which an actor reviews or runs the call. */
const ATTENDED: ReadonlySet<Phase> = new Set(["running", "deciding", "amending", "judging"]);
