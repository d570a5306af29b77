import {
  skippedAfterSubtask,
  subtaskCancelled,
  subtaskFailed,
  subtaskFinished,
} from "../../machines/conversation/index.ts";
import type { TaskEmitted } from "../../machines/task/index.ts";
import type { CallIn, Outcome, SubtaskOutcome, ToolCall } from "../../machines/tool-call/index.ts";
import { appendedIn, startedIn } from "./changes.ts";
import { firstViolation, type Law, type Step, type View } from "./law.ts";

const SUBTASK = "subtask:";
const isDelegated = (call: ToolCall): call is CallIn<"delegated"> => call.phase === "delegated";
const delegatedIn = ({ context }: View): readonly CallIn<"delegated">[] =>
  context.turn.calls.filter(isDelegated);

const textOf = (content: Outcome["content"]): string =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");

/** Whose subtask goes on: the task waits for it, or rests because its process had ended. */
function waitsWhereItShould({ after }: Step): string | undefined {
  const delegated = delegatedIn(after);
  const going = delegated.filter(({ end }) => end === undefined);
  if (after.state === "running.delegated") {
    if (going.length !== 1) return `${going.length} subtasks go on in ${after.state}`;
    const id = `${SUBTASK}${going[0]?.callId}`;
    return after.activeActors.has(id) ? undefined : `nobody does the work of ${id}`;
  }
  if (delegated.length === 0) return undefined;
  return after.state === "resumable" && after.observed.crashes > 0
    ? undefined
    : `${delegated[0]?.callId} is delegated in ${after.state}`;
}

interface Due {
  readonly kind: string;
  /** A part of what the model is told. */
  readonly told: string;
  /** What the user is told. */
  readonly shown: string;
}

/** How a call whose subtask came to this end must be settled. */
function due(childId: string, end: SubtaskOutcome): Due {
  switch (end.kind) {
    case "finished":
      return { kind: "done", told: subtaskFinished(childId, end.result), shown: end.result };
    case "cancelled":
      return { kind: "interrupted", told: subtaskCancelled(childId), shown: subtaskCancelled(childId) };
    case "failed": {
      const shown = subtaskFailed(childId, end.message);
      return { kind: "failed", told: JSON.stringify(shown).slice(1, -1), shown };
    }
  }
}

/** The end of this call's subtask that the macrostep came to know, if it did. */
function endOf({ before, event, reopened }: Step, call: CallIn<"delegated">): SubtaskOutcome | undefined {
  if (event.type === "subtask.ended" && event.callId === call.callId)
    return before.activeActors.has(SUBTASK + call.callId) ? event.end : undefined;
  return reopened?.childEnds?.get(call.callId) ?? call.end;
}

function wrongSettling(step: Step, was: CallIn<"delegated">): string | undefined {
  const { after, event } = step;
  const { callId, childId } = was;
  const call = after.context.turn.calls.find((one) => one.callId === callId);
  const end = endOf(step, was);
  const isStopped = event.type === "task.cancel" || event.type === "journal.failed";
  if (call?.phase === "delegated") {
    if (isStopped && after.state !== step.before.state) return `${callId} outlives a ${event.type}`;
    return event.type === "subtask.ended" && end !== undefined
      ? `the end of ${childId} did not settle its call`
      : undefined;
  }
  if (call?.phase !== "settled") return `${callId} is ${call?.phase ?? "gone"} and was delegated`;
  const { kind, told, shown } = due(childId, end ?? { kind: "cancelled" });
  if (end === undefined && !isStopped)
    return `${callId} was settled and nobody said that ${childId} has ended`;
  const text = textOf(call.outcome.content);
  if (call.outcome.kind !== kind || !text.includes(told))
    return `${callId} was settled as ${call.outcome.kind} ${text}; its subtask's end is ${end?.kind ?? "a cancel"}`;
  return wronglyShown(step, was, end === undefined ? undefined : shown);
}

/** The user is told the end in one row, in these words; or nothing, where none has come. */
function wronglyShown(
  step: Step,
  { callId, childId }: CallIn<"delegated">,
  shown: string | undefined,
): string | undefined {
  const rows = appendedIn(step).filter((row) => row.say === "subtask_result" && row.callId === callId);
  const expected = shown === undefined ? 0 : 1;
  if (rows.length !== expected) return `${rows.length} rows tell the end of ${childId}, expected ${expected}`;
  const other = rows.find((row) => row.text !== shown);
  return other === undefined ? undefined : `of ${childId} the user reads ${other.text}; its end is ${shown}`;
}

/** The calls that were delegated, also those of which only the memory knew. */
const delegatedBefore = ({ before, reopened }: Step): readonly CallIn<"delegated">[] =>
  reopened === undefined
    ? delegatedIn(before)
    : reopened.calls.flatMap((call) => (call.phase === "delegated" ? [call] : []));

function endsAreResults(step: Step): string | undefined {
  for (const was of delegatedBefore(step)) {
    const wrong = wrongSettling(step, was);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

const mayTellAnEnd = ({ type }: TaskEmitted): boolean =>
  type === "call.changed" || type === "message.appended";

/** A parent gets one result and one row for each subtask. */
function settledOnce({ before, emitted }: Step): string | undefined {
  if (!emitted.some(mayTellAnEnd)) return undefined;
  const settled = new Set(
    before.recorded.calls.flatMap(({ phase, callId }) => (phase === "settled" ? [callId] : [])),
  );
  const told = new Set(before.observed.reported);
  for (const piece of emitted) {
    if (piece.type === "message.appended" && piece.message.say === "subtask_result") {
      const callId = piece.message.callId ?? "";
      if (told.has(callId)) return `the end of the subtask of ${callId} is told twice`;
      if (!before.observed.children.has(callId)) return `${callId} has no subtask whose end could be told`;
      told.add(callId);
    }
    if (piece.type !== "call.changed" || piece.call.phase !== "settled") continue;
    if (settled.has(piece.call.callId)) return `${piece.call.callId} was settled twice`;
    settled.add(piece.call.callId);
  }
  return undefined;
}

/** A subtask is the last that its answer does: what was planned behind it lacks its result. */
function restIsSkipped(step: Step): string | undefined {
  const { before, after } = step;
  for (const id of startedIn(step, "subtask")) {
    const callId = id.slice(SUBTASK.length);
    if (before.observed.children.has(callId)) continue;
    const { calls } = after.context.turn;
    const childId = after.observed.children.get(callId);
    if ([...before.observed.children.values()].includes(childId ?? ""))
      return `${childId} is the subtask of another call`;
    const behind = calls.slice(calls.findIndex((call) => call.callId === callId) + 1);
    const open = behind.find((call) => !isSkipped(call, before));
    if (open !== undefined) return `${open.callId} stands behind a subtask and is ${open.phase}`;
  }
  return undefined;
}

/** Skipped now, in these words, or settled before for a reason of its own. */
function isSkipped(call: ToolCall, before: View): boolean {
  if (call.phase !== "settled") return false;
  const was = before.context.turn.calls.find(({ callId }) => callId === call.callId);
  if (was?.phase === "settled") return true;
  const { kind, content } = call.outcome;
  return kind !== "skipped" || textOf(content) === skippedAfterSubtask(call.name);
}

/** L16: a parent waits while its subtask lives, and gets its end once, however that comes. */
export const family: Law = {
  id: "L16",
  title: "a parent waits for its subtask, and is given its end once: done, cancelled or failed",
  violation: firstViolation(waitsWhereItShould, endsAreResults, settledOnce, restIsSkipped),
};
