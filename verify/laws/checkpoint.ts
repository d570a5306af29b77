import type { ToolCall } from "../../machines/tool-call/index.ts";
import { appendedIn, startedIn } from "./changes.ts";
import { firstViolation, type Law, type Step } from "./law.ts";

const CHANGES = new Set(["writes", "executes", "delegates"]);
const mayChange = (call: ToolCall | undefined): boolean =>
  call?.phase === "delegated" || (call !== undefined && "review" in call && CHANGES.has(call.review.effect));

const isOver = ({ before, event }: Step): boolean =>
  before.observed.checkpoint === "over" ||
  (before.observed.checkpoint === "saving" && event.type.startsWith("checkpoint."));

/** What may change the workspace begins after the snapshot is over; a subtask that goes on has begun before. */
function snapshotComesFirst(step: Step): string | undefined {
  const { checkpoints, turn } = step.after.context;
  if (!checkpoints || isOver(step)) return undefined;
  const ids = [...startedIn(step, "tool"), ...startedIn(step, "subtask")];
  if (ids.length === 0) return undefined;
  const early = turn.calls.find(
    (call) =>
      mayChange(call) &&
      !step.before.observed.children.has(call.callId) &&
      ids.some((id) => id === `tool:${call.callId}` || id === `subtask:${call.callId}`),
  );
  return early === undefined ? undefined : `${early.name} started before its turn's snapshot was over`;
}

function snapshotIsTakenOnce(step: Step): string | undefined {
  const count = startedIn(step, "checkpoint").length;
  if (count === 0) return undefined;
  if (!step.after.context.checkpoints) return "a snapshot was taken that nobody wants";
  return count > 1 || step.before.observed.checkpoint !== "none"
    ? "a second snapshot was taken in one turn"
    : undefined;
}

/** A snapshot is a row, and such a row is a snapshot; one that could not be taken is told if there is a reason to tell. */
function endIsSaid(step: Step): string | undefined {
  const { event, before } = step;
  const saved = appendedIn(step).filter(({ say }) => say === "checkpoint_saved");
  if (event.type !== "checkpoint.saved" && saved.length > 0)
    return "a row tells of a snapshot that was not taken";
  if (step.emitted.length === 0 || !before.activeActors.has("checkpoint")) return undefined;
  if (event.type === "checkpoint.saved")
    return saved.length === 1 && saved[0]?.text === event.hash ? undefined : "a snapshot is in no row";
  if (event.type !== "checkpoint.skipped" || event.reason === undefined) return undefined;
  const told = appendedIn(step).filter(({ say, callId }) => say === "error" && callId === event.callId);
  return told.some(({ text }) => text === event.reason)
    ? undefined
    : "the user is not told why there is no snapshot";
}

/** With checkpoints, the workspace is snapshotted once in a turn, before the first call that may change it. */
export const checkpoint: Law = {
  id: "CHECKPOINT",
  title: "a turn's snapshot is over before the first call that may change the workspace, and is taken once",
  violation: firstViolation(snapshotComesFirst, snapshotIsTakenOnce, endIsSaid),
};
