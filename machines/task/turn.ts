import { assertEvent } from "xstate";
import { frozen } from "../list/frozen.ts";
import { nextCall } from "../tool-call/call.machine.ts";
import type { CallAfter, CallTaking, ToolCallEventOf, ToolCallEventType } from "../tool-call/call.table.ts";
import type { CallIn, Effect, Phase, ToolCall } from "../tool-call/call.ts";
import { toRecordedCall } from "../tool-call/phases.ts";
import type { Change } from "./change.ts";
import { BrokenInvariantError } from "./errors.ts";
import type { Block, TaskContext, Turn } from "./task.context.ts";

export const emptyTurn: Turn = frozen({ blocks: [], cursor: 0, calls: [] });

/** Ends the turn: nothing waits for its calls any more. */
export function endTurn(change: Change): void {
  if (change.context.turn.calls.length > 0) change.emit({ type: "turn.ended" });
  change.set({ turn: emptyTurn });
}

export const findCall = (context: TaskContext, callId: string): ToolCall | undefined =>
  context.turn.calls.find((call) => call.callId === callId);

/** The call `callId`, if it is in one of `phases`. */
export function callIn<P extends Phase>(
  context: TaskContext,
  callId: string,
  ...phases: P[]
): CallIn<P> | undefined {
  const call = findCall(context, callId);
  return call !== undefined && isIn(call, phases) ? call : undefined;
}

export const isIn = <P extends Phase>(call: ToolCall, phases: readonly P[]): call is CallIn<P> =>
  (phases as readonly Phase[]).includes(call.phase);

/** Whether the response completes the task by itself: with text, without a call, and neither cut nor paused. */
export const completesTask = ({ completion, turn }: TaskContext): boolean =>
  completion === "end_turn" &&
  (turn.stopReason === "end_turn" || turn.stopReason === "stop_sequence") &&
  turn.calls.length === 0 &&
  turn.blocks.some(({ kind }) => kind === "text");

/** Whether a call of the turn failed, or was invalid. */
export const hasFailedCall = (context: TaskContext): boolean =>
  callsIn(context, "settled").some(({ outcome: { kind } }) => kind === "failed" || kind === "invalid");

/** The first block that is not yet processed. */
export const blockAtCursor = ({ turn }: TaskContext): Block | undefined => turn.blocks[turn.cursor];

const BEGUN = ["running", "stopped", "delegated", "ended", "settled"] as const satisfies readonly Phase[];

/** Whether the call runs or ran, or has its result. */
export const isBegun = (call: ToolCall): call is CallIn<(typeof BEGUN)[number]> => isIn(call, BEGUN);

/** The call that the turn is about: the one at the cursor and, behind the last block, the first that has not begun. */
export function dueCall(context: TaskContext): ToolCall | undefined {
  const block = blockAtCursor(context);
  if (block === undefined) return context.turn.calls.find((call) => !isBegun(call));
  return block.kind === "call" ? findCall(context, block.callId) : undefined;
}

/** Whether the cursor has passed the call. */
export const isPassed = ({ turn }: TaskContext, callId: string): boolean =>
  turn.blocks.slice(0, turn.cursor).some((block) => block.kind === "call" && block.callId === callId);

export const callsIn = <P extends Phase>({ turn }: TaskContext, ...phases: P[]): readonly CallIn<P>[] =>
  turn.calls.filter((call) => isIn(call, phases)) as readonly CallIn<P>[];

export function setTurn(change: Change, patch: Partial<Turn>): void {
  change.set({ turn: { ...change.context.turn, ...patch } });
}

export function setBlock(change: Change, index: number, block: Block): void {
  const { blocks } = change.context.turn;
  setTurn(change, { blocks: blocks.with(index, block) });
}

/** Move a call: the only way in which its phase changes, by {@link CALL_TABLE}. Returns the call after the event. */
export function moveCall<T extends ToolCallEventType>(
  change: Change,
  call: CallTaking<T>,
  event: ToolCallEventOf<T> & { readonly type: T },
): CallAfter<T> {
  const next = nextCall(call, event);
  const { callId, phase: from } = call;
  change.emit({ type: "call.moved", callId, by: event.type, from, to: next.phase });
  putCall(change, next);
  const recorded = next.phase === from ? undefined : toRecordedCall(next);
  if (recorded !== undefined) change.emit({ type: "call.changed", call: recorded });
  return next;
}

/** Record the message of a call, or the arguments received so far. */
export const describeCall = <C extends CallIn<"planned" | "deciding" | "decided">>(
  change: Change,
  call: C,
  known: { readonly row: number } | { readonly preview: string },
): void => putCall(change, { ...call, ...known });

function putCall(change: Change, call: ToolCall): void {
  const { calls } = change.context.turn;
  const index = calls.findIndex(({ callId }) => callId === call.callId);
  if (index < 0) throw new BrokenInvariantError(`the call ${call.callId} is not in the turn`);
  setTurn(change, { calls: calls.with(index, call) });
}

/** Whether a subtask executes the call. */
export const delegates = ({ review }: CallIn<"decided" | "approved">): boolean =>
  review.effect === "delegates";

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
