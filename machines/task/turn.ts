import type {
  CallIn,
  Decision,
  Feedback,
  Input,
  Outcome,
  Phase,
  RecordedCall,
  ToolCall,
  ValidReview,
} from "../tool-call/index.ts";
import type { Change } from "./change.ts";
import { BrokenInvariantError } from "./errors.ts";
import type { Block, TaskContext, Turn } from "./task.types.ts";

export const emptyTurn: Turn = { blocks: [], cursor: 0, calls: [] };

/** The turn's calls are done with. */
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

/** The first block that isn't dealt with. */
export const blockAtCursor = ({ turn }: TaskContext): Block | undefined => turn.blocks[turn.cursor];

/** The call whose turn it is: at the cursor. */
export function callAtCursor(context: TaskContext): ToolCall | undefined {
  const block = blockAtCursor(context);
  return block?.kind === "call" ? findCall(context, block.callId) : undefined;
}

export const callsIn = <P extends Phase>({ turn }: TaskContext, ...phases: P[]): readonly CallIn<P>[] =>
  turn.calls.filter((call) => isIn(call, phases)) as readonly CallIn<P>[];

export function setTurn(change: Change, patch: Partial<Turn>): void {
  change.set({ turn: { ...change.context.turn, ...patch } });
}

export function setBlock(change: Change, index: number, block: Block): void {
  const { blocks } = change.context.turn;
  setTurn(change, { blocks: blocks.with(index, block) });
}

export function setCall(change: Change, call: ToolCall): void {
  const { calls } = change.context.turn;
  const index = calls.findIndex(({ callId }) => callId === call.callId);
  if (index < 0) throw new BrokenInvariantError(`the call ${call.callId} is not in the turn`);
  setTurn(change, { calls: calls.with(index, call) });
  const recorded = recordOf(call);
  if (recorded !== undefined) change.emit({ type: "call.changed", call: recorded });
}

/** What a recovery must know of the call. One in an earlier phase has not begun. */
function recordOf(call: ToolCall): RecordedCall | undefined {
  const identity = identityOf(call);
  switch (call.phase) {
    case "asking":
      return { ...identity, phase: "asking" };
    case "running":
      return { ...identity, phase: "running", replayable: call.review.replayable, ...feedbackIn(call) };
    case "stopped":
      return { ...identity, phase: "stopped", replayable: call.replayable, ...feedbackIn(call) };
    case "delegated":
      return {
        ...identity,
        phase: "delegated",
        input: call.input,
        childId: call.childId,
        ...feedbackIn(call),
      };
    case "settled":
      return { ...identity, phase: "settled", outcome: call.outcome };
    default:
      return undefined;
  }
}

const feedbackIn = ({ feedback }: { readonly feedback?: Feedback }) =>
  feedback === undefined ? {} : { feedback };

const identityOf = ({ callId, toolUseId, name, ask, row }: ToolCall) => ({
  callId,
  toolUseId,
  name,
  ask,
  ...(row !== undefined && { row }),
});

/** planned -> deciding: the arguments are whole, the edge looks at them. */
export const toDeciding = (call: CallIn<"planned">, input: Input): ToolCall => ({
  ...identityOf(call),
  phase: "deciding",
  preview: call.preview,
  input,
});

/** deciding -> decided: the call waits for its turn. */
export const toDecided = (call: CallIn<"deciding">, review: ValidReview): ToolCall => ({
  ...identityOf(call),
  phase: "decided",
  input: call.input,
  review,
});

/** decided -> asking: a person is asked. */
export const toAsking = (call: CallIn<"decided">): ToolCall => ({
  ...identityOf(call),
  phase: "asking",
  input: call.input,
  review: call.review,
});

/** decided | asking -> approved: the one place where a call gets its decision (L7). */
export const toApproved = (
  call: CallIn<"decided" | "asking">,
  decision: Decision,
  feedback?: CallIn<"approved">["feedback"],
): CallIn<"approved"> => ({
  ...identityOf(call),
  phase: "approved",
  input: call.input,
  review: call.review,
  decision,
  ...(feedback !== undefined && { feedback }),
});

/** approved -> running: the decision is used, once. */
export const toRunning = (call: CallIn<"approved">): CallIn<"running"> => ({ ...call, phase: "running" });

/** running -> stopped: its end will be known when the next request is prepared. */
export const toStopped = (call: CallIn<"running">): ToolCall => ({
  ...identityOf(call),
  phase: "stopped",
  replayable: call.review.replayable,
  ...feedbackIn(call),
});

/** approved -> delegated: the decision is used, once. */
export const toDelegated = (call: CallIn<"approved">, childId: string): CallIn<"delegated"> => ({
  ...identityOf(call),
  phase: "delegated",
  input: call.input,
  childId,
  ...feedbackIn(call),
});

/** any -> settled. */
export const toSettled = (call: ToolCall, outcome: Outcome, notice?: string): ToolCall => ({
  ...identityOf(call),
  phase: "settled",
  outcome,
  ...(notice !== undefined && { notice }),
});
