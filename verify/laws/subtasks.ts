import { skippedAfterSubtask } from "../../machines/conversation/notices.ts";
import { hasNoWork } from "../../machines/message/states.ts";
import type { BackgroundSubtask } from "../../machines/task/task.events.ts";
import type { CallIn, Phase } from "../../machines/tool-call/call.ts";
import { waitsAreOver } from "./background-ends.ts";
import { startedIds } from "./changes.ts";
import { delegatedIn, inBackground, isDelegated, isOfSubtask, SUBTASK, textOf } from "./delegated-calls.ts";
import { firstViolation, type Law, type Step, type View } from "./law.ts";

/** Whether a message says that the subtask of the call can't be opened, and none since then that it runs again. */
const isUnavailable = ({ context }: View, callId: string): boolean =>
  context.log.toArray().findLast((message) => message.callId === callId)?.say === "error";

const isWorking = ({ activeActors }: View, { callId, end }: CallIn<"delegated">): boolean =>
  end === undefined && activeActors.has(SUBTASK + callId);

const worksInBackground = ({ rests, end }: BackgroundSubtask): boolean =>
  rests === undefined && end === undefined;

/**
 * The task waits in one state while at least one subtask works that executes a call, and only there for one in the
 * background. At most as many as its limit work.
 */
function waitsForSubtasks({ after }: Step): string | undefined {
  const delegated = delegatedIn(after);
  const working = delegated.filter((call) => isWorking(after, call));
  const background = after.context.backgroundSubtasks.filter(worksInBackground);
  const { parallelSubtasks } = after.context.limits;
  const all = working.length + background.length;
  if (all > Math.max(1, parallelSubtasks))
    return `${all} subtasks work, and the limit is ${parallelSubtasks}`;
  const isWait = after.state === "running.delegated";
  if (working.length > 0 ? !isWait : isWait && background.length === 0)
    return `${working.length} subtasks work in ${after.state}`;
  if (delegated.length === 0) return undefined;
  if (working.length === 0 && after.state !== "resumable")
    return `${delegated[0]?.callId} is delegated in ${after.state}`;
  const lost = delegated.find((call) => !isWorking(after, call) && !isLeft(after, call));
  return lost && `nothing works for ${lost.callId}, and its subtask has not ended`;
}

/** Whether a subtask does not work now for a reason: its process or itself ended, it is paused, or it can't be opened. */
const isLeft = (view: View, { callId, rests, end }: CallIn<"delegated">): boolean =>
  view.observed.crashes > 0 || end !== undefined || rests === "paused" || isUnavailable(view, callId);

/** A task that is resumed continues each of its subtasks. */
function resumesAll({ before, after }: Step): string | undefined {
  if (before.state !== "resumable" || after.state !== "running.delegated") return undefined;
  const other = delegatedIn(after).find((call) => !isWorking(after, call));
  return other && `the subtask of ${other.callId} was not continued with the task`;
}

/** A task that goes on from rest continues each of its subtasks in the background. */
function continuesBackground({ before, after }: Step): string | undefined {
  if (before.state !== "resumable" || hasNoWork(after.state)) return undefined;
  const left = after.context.backgroundSubtasks.find(({ rests }) => rests !== undefined);
  return left && `${left.childId} was not continued with the task`;
}

/** Nothing works beside subtasks but commands in the background: no other call runs, is asked about or is decided. */
function worksAlone({ after }: Step): string | undefined {
  if (after.state !== "running.delegated") return undefined;
  const { turn, ask } = after.context;
  if (ask !== undefined) return `${ask.ask} is asked while subtasks work`;
  const beside = delegatedIn(after).length > 0 ? BESIDE_SUBTASKS : BESIDE_WAIT;
  const other = turn.calls.find(({ phase }) => !beside.includes(phase));
  return other && `${other.callId} is ${other.phase} while subtasks work`;
}

/** The phases of calls beside a subtask that works. An approved one waits for its own subtask. */
const BESIDE_SUBTASKS: readonly Phase[] = ["approved", "delegated", "settled", "stopped"];
/** The phases of calls while one waits for subtasks in the background: the later ones have not begun. */
const BESIDE_WAIT: readonly Phase[] = ["planned", "deciding", "decided", "approved", "settled", "stopped"];

/** A subtask that can't be opened now has not ended: its call is not settled, and the log has the reason. */
function unavailableIsNoEnd({ before, event, after }: Step): string | undefined {
  if (event.type !== "subtask.unavailable" || !before.activeActors.has(SUBTASK + event.callId))
    return undefined;
  if (inBackground(before, event.callId) !== undefined) return wrongRest(after, event.callId, "unavailable");
  const call = delegatedIn(after).find(({ callId }) => callId === event.callId);
  if (call === undefined || isWorking(after, call))
    return `${event.callId} has a subtask that can't be opened now, and its call is not delegated`;
  return isUnavailable(after, event.callId) ? undefined : `nothing says why ${call.childId} can't be opened`;
}

/** A paused subtask has not ended: its call is not settled, and the task is paused once none of them works. */
function pausedIsNoEnd({ before, event, after }: Step): string | undefined {
  if (event.type !== "subtask.paused" || !before.activeActors.has(SUBTASK + event.callId)) return undefined;
  if (inBackground(before, event.callId) !== undefined)
    return wrongRest(after, event.callId, before.context.pause === null ? undefined : "paused");
  const delegated = delegatedIn(after);
  const isDelegated = delegated.some(({ callId }) => callId === event.callId);
  const isPaused =
    after.state === "resumable" ? after.context.pause === "resting" : after.context.pause === "asked";
  return isDelegated && (isPaused || delegated.some(({ callId }) => isUnavailable(after, callId)))
    ? undefined
    : `${event.callId} has a paused subtask, and the task is in ${after.state}`;
}

/** A subtask in the background that does not work now has not ended. A paused one goes on in a task that is not paused. */
function wrongRest(after: View, callId: string, because: BackgroundSubtask["rests"]): string | undefined {
  const subtask = inBackground(after, callId);
  return subtask?.end === undefined && subtask?.rests === because
    ? undefined
    : `${callId} has a subtask that is left, and the task has it as ${subtask?.end?.kind ?? subtask?.rests}`;
}

/** No two calls have the same subtask. */
function subtasksAreOwn(step: Step): string | undefined {
  const { before, after } = step;
  const { children } = after.observed;
  for (const id of startedIds(step, "subtask")) {
    const callId = id.slice(SUBTASK.length);
    if (before.observed.children.has(callId)) continue;
    const childId = children.get(callId);
    const isOfAnother = [...children].some(([other, child]) => other !== callId && child === childId);
    if (isOfAnother) return `${childId} is the subtask of another call`;
  }
  return undefined;
}

/** Calls behind one of a subtask that need no subtask are skipped, and reported so, before a subtask starts. */
function laterCallsAreSkipped(step: Step): string | undefined {
  const { calls } = step.after.context.turn;
  const first = startedIds(step, "subtask").find(
    (id) => inBackground(step.after, id.slice(SUBTASK.length)) === undefined,
  );
  if (first === undefined) return undefined;
  const behind = calls.slice(calls.findIndex(isOfSubtask) + 1);
  const open = behind.find((call) => call.phase !== "settled" && !isOfSubtask(call));
  return open && `${open.callId} is behind a subtask and is ${open.phase}`;
}

/** A call behind an approved one of a subtask is skipped, and its result says why. */
function skipsAreReported({ before, after }: Step): string | undefined {
  const { calls } = after.context.turn;
  const first = calls.findIndex(
    (call) => (call.phase === "approved" || isDelegated(call)) && isOfSubtask(call),
  );
  const behind = first < 0 ? [] : calls.slice(first + 1);
  const other = behind.find((call) => {
    const was = before.context.turn.calls.find(({ callId }) => callId === call.callId);
    if (call.phase !== "settled" || was?.phase !== "decided" || isOfSubtask(was)) return false;
    return textOf(call.outcome.content) !== skippedAfterSubtask(call.name);
  });
  return other && `${other.callId} is behind a subtask, and its result does not say that it was skipped`;
}

/** L16: a parent waits for its subtasks, and does nothing else. */
export const subtasks: Law = {
  id: "L16",
  title:
    "a parent waits for its subtasks while one works, and each has its own call; other calls behind them are skipped",
  violation: firstViolation(
    waitsForSubtasks,
    resumesAll,
    continuesBackground,
    worksAlone,
    unavailableIsNoEnd,
    pausedIsNoEnd,
    subtasksAreOwn,
    laterCallsAreSkipped,
    skipsAreReported,
    waitsAreOver,
  ),
};
