import { assertEvent } from "xstate";
import type { CallIn, Effect } from "../tool-call/index.ts";
import type { Change } from "./change.ts";
import type { TaskContext } from "./task.context.ts";
import { setTurn } from "./turn.ts";

const CHANGES: ReadonlySet<Effect> = new Set(["writes", "executes", "delegates"]);

/** Whether the workspace is snapshotted first: once per turn, before a call that may change it. */
export const needsCheckpoint = (
  { checkpoints, turn }: TaskContext,
  { review }: CallIn<"approved">,
): boolean => checkpoints && turn.checkpoint !== "done" && CHANGES.has(review.effect);

export function saveCheckpoint(change: Change, callId: string): void {
  if (change.context.turn.checkpoint !== undefined) return;
  setTurn(change, { checkpoint: "saving" });
  change.start("checkpoint", "checkpoint", { callId });
}

/** Records that the snapshot exists, or that there is none. */
export function applyCheckpoint(change: Change): void {
  const { event } = change;
  assertEvent(event, ["checkpoint.saved", "checkpoint.skipped"]);
  setTurn(change, { checkpoint: "done" });
  const { callId } = event;
  if (event.type === "checkpoint.saved") {
    const { hash, from } = event;
    const checkpoint = { to: hash, ...(from !== undefined && { from }) };
    change.append({ type: "say", say: "checkpoint_saved", text: hash, checkpoint, callId });
  } else if (event.reason !== undefined)
    change.append({ type: "say", say: "error", text: event.reason, callId });
}
