import type { TaskEvent } from "../../machines/task/task.events.ts";
import type { Feature, Moment } from "./feature.ts";

/** A checkpoint is saved or skipped before the first call that may change the workspace. */
export const checkpoints: Feature = {
  name: "checkpoints",
  parts: { checkpoint: ({ view: { context } }) => context.turn.checkpoint ?? 0 },
  events: (moment) =>
    moment.view.state === "running.checkpointing" ? checkpointEvents(moment) : [lateEvent(moment)],
};

const late = (at: number): TaskEvent => ({ type: "checkpoint.saved", at, callId: "0/gone", hash: "late" });

/** The end of a checkpoint that is over. */
function lateEvent({ view: { context }, at }: Moment): TaskEvent {
  const callId = context.turn.calls[0]?.callId;
  return callId === undefined ? late(at) : { type: "checkpoint.skipped", at, callId, reason: "late" };
}

function checkpointEvents({ view: { context }, at }: Moment): TaskEvent[] {
  const { calls } = context.turn;
  const [first, ...others] = calls.filter(({ phase }) => phase === "approved");
  const settled = calls.find(({ phase }) => phase === "settled");
  const stale = [...others, ...(settled === undefined ? [] : [settled])].map(
    ({ callId }): TaskEvent => ({ type: "checkpoint.saved", at, callId, hash: "foreign" }),
  );
  if (first === undefined) return [late(at), ...stale];
  const { callId } = first;
  return [
    late(at),
    ...stale,
    { type: "checkpoint.saved", at, callId, hash: "h" },
    { type: "checkpoint.saved", at, callId, hash: "h2", from: "h" },
    { type: "checkpoint.skipped", at, callId },
    { type: "checkpoint.skipped", at, callId, reason: "the workspace is too large" },
  ];
}
