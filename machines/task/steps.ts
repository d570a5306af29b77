import { textBlock } from "../conversation/blocks.ts";
import { modeSwitched } from "../conversation/notices.ts";
import type { CallIn } from "../tool-call/call.ts";
import { postAsk } from "./asks.ts";
import { answerWithEnds, applyOrder } from "./background-subtasks.ts";
import {
  approveByRule,
  settleAsDenied,
  settleAsMistake,
  showPartialMessage,
  skipAfterSubtask,
  startCall,
  withdrawMessage,
} from "./calls.ts";
import type { Change } from "./change.ts";
import { applyQueuedFeedback, blockCompletion, showResult } from "./completion.ts";
import { resetMistakes } from "./counters.ts";
import { BrokenInvariantError } from "./errors.ts";
import { selectIntent } from "./intent.ts";
import { judgeCall } from "./judging.ts";
import { reviewAgain, selectMode } from "./permissions.ts";
import { dueCompletion, nextStep, type Step } from "./schedule.ts";
import { delegate } from "./subtask.ts";
import type { Block, ProseBlock } from "./task.context.ts";
import { delegates, findCall, moveCall, saveCheckpoint, setBlock, setTurn } from "./turn.ts";
import { changeWakeUps } from "./wake.ts";

/** Continues the turn as far as possible without a person: text, reads, and the next permitted effect. */
export function continueTurn(change: Change): void {
  showNotices(change);
  while (takeStep(change, nextStep(change.context)));
  const completion = dueCompletion(change.context);
  if (completion !== undefined) showResult(change, completion);
}

/** Shows the blocks of the response in source order, and starts permitted reads. */
export function showBlocks(change: Change): void {
  while (takeShowStep(change, nextStep(change.context)));
}

/** Takes the step if the task can take it in any state. Returns whether another one may follow. */
function takeShowStep(change: Change, step: Step): boolean {
  switch (step.kind) {
    case "show":
      showBlock(change, step.block);
      return true;
    case "pass":
      // A call that was judged is judged again before it starts.
      if (step.call.phase === "approved" && step.call.judged !== undefined)
        moveCall(change, step.call, { type: "postponed" });
      passBlock(change);
      return true;
    case "skip":
      skipAfterSubtask(change, step.call);
      return true;
    case "preview":
      showPartialMessage(change, step.call);
      return true;
    case "review":
      reviewAgain(change, step.call);
      return true;
    case "deny":
      settleAsDenied(change, step.call, step.verdict);
      return true;
    case "read":
      startCall(change, approveByRule(change, step.call));
      passBlock(change);
      return true;
    default:
      return false;
  }
}

/** Takes the step if the task stays in `running.settling` by it. Returns whether another one may follow. */
function takeStep(change: Change, step: Step): boolean {
  switch (step.kind) {
    case "refuse":
      settleAsMistake(change, step.call, step.error);
      return true;
    case "judge":
      judgeCall(change, step.call);
      return true;
    case "approve":
      approveByRule(change, step.call);
      return true;
    case "save":
      // The call is judged again after the snapshot.
      moveCall(change, step.call, { type: "postponed" });
      saveCheckpoint(change, step.call.callId);
      return true;
    case "start":
      startAlone(change, step.call);
      // Other subtasks start in the same macrostep.
      return delegates(step.call);
    default:
      return takeShowStep(change, step);
  }
}

function passBlock(change: Change): void {
  setTurn(change, { cursor: change.context.turn.cursor + 1 });
}

function showBlock(change: Change, block: Block): void {
  switch (block.kind) {
    case "call": {
      const call = findCall(change.context, block.callId);
      if (call?.phase === "settled") postNotice(change, call);
      passBlock(change);
      break;
    }
    case "opaque":
      change.append({ type: "say", say: "opaque", text: block.text });
      passBlock(change);
      break;
    default:
      showProse(change, block);
      if (block.done) passBlock(change);
  }
}

function showProse(change: Change, block: ProseBlock): void {
  const { buffered: text, done } = block;
  if (block.ts === undefined) {
    const say = block.kind === "text" ? "text" : "reasoning";
    const ts = change.append({ type: "say", say, text, ...(!done && { partial: true }) });
    setBlock(change, change.context.turn.cursor, { ...block, buffered: "", ts });
  } else change.amend(block.ts, { partial: false });
}

function postNotice(change: Change, call: CallIn<"settled">): void {
  withdrawMessage(change, call);
  if (call.notice !== undefined) change.append({ type: "say", ...call.notice, callId: call.callId });
}

/** Shows the notices of passed reads, unless a partial message stands last: it becomes an ask, or is completed first (L3). */
function showNotices(change: Change): void {
  const { notices, ...turn } = change.context.turn;
  if (notices === undefined || change.context.log.at(-1)?.partial === true) return;
  for (const { callId, notice } of notices) change.append({ type: "say", ...notice, callId });
  change.set({ turn });
}

function startAlone(change: Change, call: CallIn<"approved">): void {
  if (delegates(call)) {
    delegate(change, call);
    return;
  }
  if (call.ask === "command") postAsk(change, "command_output", "", { callId: call.callId });
  startCall(change, call);
}

/** Settles a call that the task executes itself. */
export function settleByTask(change: Change): void {
  const step = nextStep(change.context);
  if (step.kind !== "settle") throw new BrokenInvariantError(`the next step is ${step.kind}, not settle`);
  switch (step.by) {
    case "mode":
      switchModeByCall(change, step.call, step.mode);
      break;
    case "intent":
      selectIntent(change, step.call, step.intent);
      break;
    case "wake-up":
      changeWakeUps(change, step.call, step.change);
      break;
    case "order":
      applyOrder(change, step.call, step.order);
      break;
    case "subtasks":
      answerWithEnds(change, step.call);
      break;
    case "failure":
      blockCompletion(change, step.call);
      break;
    case "queue":
      applyQueuedFeedback(change, step.call);
  }
}

/** Applies a call that switches the mode. Later calls of the response are judged by the new one. */
function switchModeByCall(change: Change, call: CallIn<"approved">, mode: string): void {
  selectMode(change, mode);
  const content = [textBlock(modeSwitched(mode))];
  moveCall(change, call, { type: "settled", outcome: { kind: "done", content } });
  resetMistakes(change);
}
