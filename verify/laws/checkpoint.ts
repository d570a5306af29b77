import type { ToolCall } from "../../machines/tool-call/call.ts";
import { appendedMessages, startedIds } from "./changes.ts";
import { firstViolation, type Law, type Step } from "./law.ts";

const CHANGES = new Set(["writes", "executes", "delegates"]);
const mayChange = (call: ToolCall | undefined): boolean =>
  call?.phase === "delegated" || (call !== undefined && "review" in call && CHANGES.has(call.review.effect));

const isOver = ({ before, event }: Step): boolean =>
  before.observed.checkpoint === "over" ||
  (before.observed.checkpoint === "saving" && event.type.startsWith("checkpoint."));

/** Calls that may change the workspace start after the checkpoint ended; a resumed subtask started before. */
function checkpointIsFirst(step: Step): string | undefined {
  const { checkpoints, turn } = step.after.context;
  if (!checkpoints || isOver(step)) return undefined;
  const ids = [...startedIds(step, "tool"), ...startedIds(step, "subtask")];
  if (ids.length === 0) return undefined;
  const early = turn.calls.find(
    (call) =>
      mayChange(call) &&
      !step.before.observed.children.has(call.callId) &&
      ids.some((id) => id === `tool:${call.callId}` || id === `subtask:${call.callId}`),
  );
  return early === undefined ? undefined : `${early.name} started before its turn's checkpoint ended`;
}

function checkpointIsSavedOnce(step: Step): string | undefined {
  const count = startedIds(step, "checkpoint").length;
  if (count === 0) return undefined;
  if (!step.after.context.checkpoints) return "a checkpoint started with checkpoints disabled";
  return count > 1 || step.before.observed.checkpoint !== "none"
    ? "a second checkpoint started in one turn"
    : undefined;
}

/** A saved checkpoint is a message, and only such. A failed one is reported if it has a reason. */
function endIsReported(step: Step): string | undefined {
  const { event, before } = step;
  const saved = appendedMessages(step).filter(({ say }) => say === "checkpoint_saved");
  if (event.type !== "checkpoint.saved" && saved.length > 0)
    return "a message reports a checkpoint that was not saved";
  if (step.emitted.length === 0 || !before.activeActors.has("checkpoint")) return undefined;
  if (event.type === "checkpoint.saved")
    return saved.length === 1 && saved[0]?.text === event.hash
      ? undefined
      : "a saved checkpoint has no message";
  if (event.type !== "checkpoint.skipped" || event.reason === undefined) return undefined;
  const errors = appendedMessages(step).filter(
    ({ say, callId }) => say === "error" && callId === event.callId,
  );
  return errors.some(({ text }) => text === event.reason)
    ? undefined
    : "the reason of a failed checkpoint has no message";
}

/** With checkpoints, one is saved per turn, before the first call that may change the workspace. */
export const checkpoint: Law = {
  id: "CHECKPOINT",
  title: "a turn's checkpoint ends before the first call that may change the workspace, and is saved once",
  violation: firstViolation(checkpointIsFirst, checkpointIsSavedOnce, endIsReported),
};
