import { isSame, type Law, type Step } from "./law.ts";

type Written = readonly (readonly [callId: string, writes: unknown])[];

/** The writes that a running call reports at its end. */
function reportedIn({ before, event }: Step): Written {
  if ((event.type !== "tool.finished" && event.type !== "tool.failed") || event.writes === undefined)
    return [];
  const { callId, writes } = event;
  const isRunning = before.context.turn.calls.some(
    (call) => call.callId === callId && call.phase === "running",
  );
  return isRunning ? [[callId, writes]] : [];
}

/** The writes that the ledger gets from the record of this macrostep. */
const recordedIn = ({ emitted }: Step): Written =>
  emitted.flatMap((event) => {
    if (event.type !== "call.changed" || !("outcome" in event.call)) return [];
    const { writes } = event.call.outcome;
    return writes === undefined ? [] : [[event.call.callId, writes] as const];
  });

/** LEDGER: the writes of a call are recorded once, with its end. The ledger is derived from the records. */
export const ledger: Law = {
  id: "LEDGER",
  title: "the writes of a call are recorded once, in the macrostep of its end, and nothing else is",
  violation(step) {
    const [reported, recorded] = [reportedIn(step), recordedIn(step)];
    return isSame(reported, recorded)
      ? undefined
      : `${JSON.stringify(reported)} was written, and ${JSON.stringify(recorded)} is recorded`;
  },
};
