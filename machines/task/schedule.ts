import type { CallIn, ToolCall, Verdict } from "../tool-call/call.ts";
import type { SubtaskOrder } from "../tool-call/subtask-order.ts";
import type { WakeUpChange } from "../tool-call/wake-up.ts";
import { hasRoom, hasWorkingSubtask, stepBeforeCompletion, stepOfOrder } from "./background-subtasks.ts";
import { refusedSubtask } from "./budget.ts";
import { isParallelRead, isRead, showsPartially, UNDER_REVIEW } from "./calls.ts";
import { isForeground } from "./command.ts";
import { isHooked } from "./hook-points.ts";
import { needsJudgement } from "./judged.ts";
import { isStale } from "./permissions.ts";
import { deliversOne } from "./queue.ts";
import type { Block, TaskContext } from "./task.context.ts";
import {
  blockAtCursor,
  callsIn,
  completesTask,
  delegates,
  dueCall,
  findCall,
  hasFailedCall,
  needsCheckpoint,
} from "./turn.ts";

/** A call that waits at the cursor. */
type Due = CallIn<"decided" | "approved">;

/** A step that the task takes wherever it is, also while the response streams. */
type ShowStep =
  /** The block at the cursor is shown as far as it is known. */
  | { readonly kind: "show"; readonly block: Block }
  /**
   * A read runs, and later calls proceed beside it; or a call of a subtask is approved, and starts behind the last block, at
   * once with the others of the response.
   */
  | { readonly kind: "pass"; readonly call: CallIn<"running" | "approved"> }
  /** The call stands behind one of a subtask. */
  | { readonly kind: "skip"; readonly call: CallIn<"decided"> }
  /** The call is shown before it is complete or decided. */
  | { readonly kind: "preview"; readonly call: CallIn<"planned" | "deciding" | "decided"> }
  /** The permissions have changed since the call was reviewed. */
  | { readonly kind: "review"; readonly call: Due }
  | {
      readonly kind: "deny";
      readonly call: CallIn<"decided">;
      readonly verdict: Extract<Verdict, { kind: "deny" }>;
    }
  /** The call only reads, and fewer reads than the limit run. */
  | { readonly kind: "read"; readonly call: CallIn<"decided"> };

/** A step that the task takes in `running.settling` only, and stays there. */
type SettlingStep =
  /** The call can't run: too little of the budget is left. */
  | { readonly kind: "refuse"; readonly call: Due; readonly error: string }
  /** Policies over time decide about the call. */
  | { readonly kind: "judge"; readonly call: Due }
  /** A rule permits the call. */
  | { readonly kind: "approve"; readonly call: CallIn<"decided"> }
  /** The workspace is snapshotted before the call. */
  | { readonly kind: "save"; readonly call: CallIn<"approved"> }
  | { readonly kind: "start"; readonly call: CallIn<"approved"> };

/** The step when no other is left. Each kind is a guard of a transition from `running.settling`. */
type ExitStep =
  /** Hooks decide about the call. */
  | { readonly kind: "hook"; readonly call: Due }
  /** The task settles the call itself, without an actor. */
  | ({ readonly kind: "settle" } & TaskSettlement)
  /** The task asks whether the result is accepted. Without a call, the last text is the result. */
  | { readonly kind: "offer"; readonly call?: CallIn<"decided"> }
  /** The same, but a queued message then continues the task. */
  | { readonly kind: "deliver"; readonly call?: CallIn<"decided"> }
  /** A person answers the question of the call. */
  | { readonly kind: "question"; readonly call: CallIn<"decided"> }
  /** A person decides about the call. */
  | { readonly kind: "approval"; readonly call: CallIn<"decided"> }
  /** The command of the call runs, and its output is the open ask. */
  | { readonly kind: "command"; readonly call: ToolCall }
  /** Subtasks work, and nothing else is left to do until one of them ends. */
  | { readonly kind: "subtask" }
  /** Subtasks have not ended, and none of them works. */
  | { readonly kind: "rest" }
  | { readonly kind: "checkpoint"; readonly call: CallIn<"approved"> }
  /** `call`: the call that the turn waits for. */
  | { readonly kind: "wait"; readonly call?: ToolCall }
  /** Every call has its result: the next request sends them. */
  | { readonly kind: "done" };

export type Step = ShowStep | SettlingStep | ExitStep;

/**
 * A call that the task settles itself. A completion is refused beside a failed call, and answered by queued messages and by the
 * ends of subtasks in the background.
 */
type TaskSettlement =
  | { readonly by: "mode"; readonly call: CallIn<"approved">; readonly mode: string }
  | { readonly by: "intent"; readonly call: CallIn<"approved">; readonly intent: string }
  | { readonly by: "wake-up"; readonly call: CallIn<"approved">; readonly change: WakeUpChange }
  | { readonly by: "order"; readonly call: CallIn<"approved">; readonly order: SubtaskOrder }
  | { readonly by: "failure" | "queue" | "subtasks"; readonly call: CallIn<"decided"> };

/**
 * The next step of the turn. The blocks of a response are handled in source order (ORDER): the cursor stays at the first block
 * that streams, is reviewed, or waits. It passes reads while they run.
 */
export function nextStep(context: TaskContext): Step {
  const block = blockAtCursor(context);
  if (block === undefined) return stepAfterBlocks(context);
  if (block.kind === "call") return stepOfBlock(context, block);
  const isShown = block.kind !== "opaque" && block.ts !== undefined && !block.done;
  return isShown ? { kind: "wait" } : { kind: "show", block };
}

function stepOfBlock(context: TaskContext, block: Extract<Block, { kind: "call" }>): Step {
  const call = findCall(context, block.callId);
  if (call === undefined) return { kind: "wait" };
  return call.phase === "settled" ? { kind: "show", block } : stepOfCall(context, call);
}

function stepOfCall(context: TaskContext, call: ToolCall): Step {
  switch (call.phase) {
    case "planned":
    case "deciding":
      return showsPartially(context, call) ? { kind: "preview", call } : { kind: "wait", call };
    case "decided":
      return stepOfDecided(context, call);
    case "approved":
      return isStale(context, call)
        ? { kind: "review", call }
        : alone(context, stepOfApproved(context, call));
    case "running":
      if (isRead(call)) return { kind: "pass", call };
      return isForeground(context, call.callId) ? { kind: "command", call } : { kind: "wait", call };
    default:
      return { kind: "wait", call };
  }
}

function stepOfDecided(context: TaskContext, call: CallIn<"decided">): Step {
  const { verdict } = call.review;
  if (isBehindSubtask(context, call)) return { kind: "skip", call };
  if (isStale(context, call)) return { kind: "review", call };
  if (verdict.kind === "deny") return { kind: "deny", call, verdict };
  if (isParallelRead(context, call)) return { kind: "read", call };
  if (showsPartially(context, call)) return { kind: "preview", call };
  const error = delegates(call) ? refusedSubtask(context) : undefined;
  if (error !== undefined) return { kind: "refuse", call, error };
  if (!isHooked(context, call)) return alone(context, { kind: "hook", call });
  if (call.ask === "completion_result") return alone(context, stepOfCompletion(context, call));
  if (needsJudgement(context, call)) return alone(context, stepOfJudged(context, call));
  if (verdict.kind === "allow") return { kind: "approve", call };
  return { kind: call.ask === "followup" ? "question" : "approval", call };
}

function stepOfApproved(context: TaskContext, call: CallIn<"approved">): Step {
  if (!isHooked(context, call)) return { kind: "hook", call };
  if (needsCheckpoint(context, call))
    return { kind: context.turn.checkpoint === "saving" ? "checkpoint" : "save", call };
  if (delegates(call) && call.review.inBackground !== true && blockAtCursor(context) !== undefined)
    return { kind: "pass", call };
  return needsJudgement(context, call) ? stepOfJudged(context, call) : stepOfStart(context, call);
}

function stepOfStart(context: TaskContext, call: CallIn<"approved">): Step {
  const {
    switchesTo: mode,
    selectsIntent: intent,
    changesWakeUps: change,
    ordersSubtasks: order,
  } = call.review;
  if (delegates(call)) return stepOfSubtask(context, call);
  if (order !== undefined) return stepOfOrdering(context, call, order);
  if (mode !== undefined) return { kind: "settle", by: "mode", call, mode };
  if (change !== undefined) return { kind: "settle", by: "wake-up", call, change };
  return intent === undefined ? { kind: "start", call } : { kind: "settle", by: "intent", call, intent };
}

function stepOfSubtask(context: TaskContext, call: CallIn<"approved">): Step {
  const error = refusedSubtask(context);
  if (error !== undefined) return { kind: "refuse", call, error };
  if (hasRoom(context)) return { kind: "start", call };
  return { kind: hasWorkingSubtask(context) ? "subtask" : "rest" };
}

function stepOfOrdering(context: TaskContext, call: CallIn<"approved">, order: SubtaskOrder): Step {
  const step = stepOfOrder(context, order);
  if (step === "apply") return { kind: "settle", by: "order", call, order };
  return { kind: step === "wait" ? "subtask" : "rest" };
}

function stepOfCompletion(context: TaskContext, call: CallIn<"decided">): Step {
  if (hasFailedCall(context)) return { kind: "settle", by: "failure", call };
  const delivers = deliversOne(context);
  if (context.queue.length > 0 && !delivers) return { kind: "settle", by: "queue", call };
  switch (stepBeforeCompletion(context)) {
    case "tell":
      return { kind: "settle", by: "subtasks", call };
    case "wait":
      return { kind: "subtask" };
    case "rest":
      return { kind: "rest" };
    default:
      return { kind: delivers ? "deliver" : "offer", call };
  }
}

/** The step of a response that completes the task by itself. */
function stepOfEndedTurn(context: TaskContext): Step {
  const delivers = deliversOne(context);
  if (context.queue.length > 0 && !delivers) return { kind: "done" };
  switch (stepBeforeCompletion(context)) {
    case "tell":
      return { kind: "done" };
    case "wait":
      return { kind: "subtask" };
    case "rest":
      return { kind: "rest" };
    default:
      return { kind: delivers ? "deliver" : "offer" };
  }
}

/** Policies over time judge a call only while no other call runs or is reviewed (law ONE). */
function stepOfJudged(context: TaskContext, call: Due): Step {
  const [reviewed] = callsIn(context, ...UNDER_REVIEW);
  return reviewed === undefined ? { kind: "judge", call } : { kind: "wait", call: reviewed };
}

/** The step, if no call runs; else the task waits. */
function alone(context: TaskContext, step: Step): Step {
  const [running] = callsIn(context, "running", "ended");
  return running === undefined ? step : { kind: "wait", call: running };
}

/** Whether an approved call of a subtask stands before a call that needs no subtask. */
const isBehindSubtask = (context: TaskContext, call: CallIn<"decided">): boolean =>
  !delegates(call) && callsIn(context, "approved").some(delegates);

function stepAfterBlocks(context: TaskContext): Step {
  const delegated = callsIn(context, "delegated").filter(({ end }) => end === undefined);
  if (delegated.length > 0) return stepBesideSubtasks(context, delegated);
  const due = dueCall(context);
  if (due !== undefined) return stepOfCall(context, due);
  return completesTask(context) ? stepOfEndedTurn(context) : alone(context, { kind: "done" });
}

/** Beside subtasks only another one starts. Whatever else its call needs waits until none of them is left. */
function stepBesideSubtasks(context: TaskContext, delegated: readonly CallIn<"delegated">[]): Step {
  const working = delegated.filter(({ rests }) => rests === undefined);
  if (working.length === 0) return { kind: "rest" };
  const due = working.length === delegated.length ? dueCall(context) : undefined;
  const step = due === undefined ? undefined : stepOfCall(context, due);
  return step?.kind === "start" ? step : { kind: "subtask" };
}

/** The completion at the cursor, if hooks have passed it. It is shown even while it waits for earlier reads. */
export function dueCompletion(context: TaskContext): CallIn<"decided"> | undefined {
  const call = dueCall(context);
  const isDue = call?.phase === "decided" && call.ask === "completion_result" && isHooked(context, call);
  return isDue ? call : undefined;
}
