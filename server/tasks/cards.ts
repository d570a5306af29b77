import type { Task } from "../../runtime/index.ts";
import { dottedPath, type RecordedTask, type TaskSummary } from "../../store/index.ts";
import type { TaskCard } from "../../wire/index.ts";

/** What a task's journal tells of it before its rows do. */
export type Origin = Pick<TaskCard, "title" | "createdAt" | "workspace" | "parentId">;

/** Of a task that is open here. `updatedAt`: when its newest commit was made. */
export function openCard(task: Task, origin: Origin, updatedAt: number): TaskCard {
  const { value, context } = task.snapshot;
  const { total, mode } = context;
  const { isHolding, held, broken } = task.breakpoints;
  return {
    id: task.id,
    ...origin,
    state: task.state.state,
    path: dottedPath(value),
    mode,
    cost: total.cost,
    tokensIn: total.tokensIn,
    tokensOut: total.tokensOut,
    messages: task.log.length,
    updatedAt,
    isOpen: true,
    asks: task.asks.map(({ id, kind, text, callId, accepts }) => ({
      askId: id,
      kind,
      text,
      ...(callId !== undefined && { callId }),
      accepts: [...accepts],
    })),
    ...(isHolding && { held: held.map(({ type }) => type) }),
    ...(broken !== undefined && { broken: { ...broken } }),
  };
}

/** Of a task on disk, by a look at its journal. */
export function summaryCard(summary: TaskSummary): TaskCard {
  const { id, state, cost, updatedAt } = summary;
  return { id, ...originOf(summary), state, path: state, cost, updatedAt, isOpen: false, asks: [] };
}

/** Of a task on disk of which everything was read. */
export function recordedCard(task: RecordedTask): TaskCard {
  const { tokensIn, tokensOut } = task.total;
  return { ...summaryCard(task), tokensIn, tokensOut, messages: task.rows.length };
}

export function originOf({ title, createdAt, workspace, parentId }: TaskSummary): Origin {
  return {
    title,
    createdAt,
    ...(workspace !== undefined && { workspace }),
    ...(parentId !== undefined && { parentId }),
  };
}
