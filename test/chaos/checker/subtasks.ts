import type { CheckedTask } from "./history.ts";
import { type Journal, resultOf } from "./journal.ts";

/** The parts of a checked task that the rule of subtasks needs. */
export interface CheckedFamily extends Journal {
  /** The task and its subtasks. */
  readonly family: readonly Journal[];
}

interface Delegation {
  readonly taskId: string;
  readonly callId: string;
  readonly childId: string;
}

/** Check the subtasks of a root. */
export function* checkSubtasks({ task, parent, records, family }: CheckedFamily): Generator<string> {
  if (task.kind === "subtask" && parent === undefined) yield "nobody gave it, and it has no parent";
  if (parent !== undefined) return;
  const calls = family.flatMap(delegationsOf);
  for (const { taskId, callId, childId } of calls)
    if (calls.some((one) => one.taskId === taskId && one.callId === callId && one.childId !== childId))
      yield `call ${callId} has more than one subtask`;
  const outcomes = new Map(
    records.flatMap((record) =>
      record.calls.map(({ callId, outcome }) => [callId, outcome?.kind === "done"] as const),
    ),
  );
  for (const child of family) {
    if (child.parent === undefined) continue;
    const { id } = child.task;
    const { taskId, callId } = child.parent;
    if (!calls.some((one) => one.taskId === taskId && one.callId === callId && one.childId === id))
      yield `subtask ${id} has no call ${callId} in ${taskId}`;
    const isDone = outcomes.get(callId) === true;
    if (isDone && resultOf(child.records) === undefined)
      yield `call ${callId} is done, and subtask ${id} has not completed`;
    if (!isDone && !isDropped(task)) yield `call ${callId} did not get the result of subtask ${id}`;
  }
}

const delegationsOf = ({ task, records }: Journal): readonly Delegation[] =>
  records.flatMap(({ calls }) =>
    calls.flatMap(({ callId, childId }) =>
      childId === undefined ? [] : [{ taskId: task.id, callId, childId }],
    ),
  );

/** Whether a task is cancelled while its subtask works. */
const isDropped = ({ kind }: CheckedTask): boolean => kind === "dropped";
