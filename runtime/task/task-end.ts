import type { z } from "zod";
import { type AgentStateInfo, type AskType, parseJson } from "../../machines/message/index.ts";
import type { Usage } from "../../machines/task/index.ts";
import type { TaskSnapshot } from "./task-view.ts";

/** The position at which a task settled. */
export interface TaskEnd {
  readonly state: AgentStateInfo["state"];
  /** The ask that is open now. */
  readonly ask: AskType;
  /** The model's result, if the task completed. */
  readonly result?: string;
  /** US dollars of the task's own requests; null: unknown. `Task.totalUsage` includes its subtasks. */
  readonly cost: number | null;
  readonly usage: Usage;
}

const stateOf = (value: TaskSnapshot["value"]): string | undefined =>
  typeof value === "string" ? value : Object.keys(value)[0];

export const isAtRest = (value: TaskSnapshot["value"]): boolean =>
  ["idle", "resumable"].includes(stateOf(value) ?? "");

/** The end of a run, with its result as `schema` parses it. */
export function typedEnd<T>(end: TaskEnd, schema: z.ZodType<T>): TaskEnd & { readonly value?: T } {
  const parsed = end.result === undefined ? undefined : schema.safeParse(parseJson(end.result));
  return parsed?.success === true ? { ...end, value: parsed.data } : end;
}

export function endOf({ value, context }: TaskSnapshot): TaskEnd {
  const { ask, result, total } = context;
  return {
    state: stateOf(value) === "resumable" ? "resumable" : "idle",
    ask: ask?.ask ?? "resume_task",
    ...(ask?.ask === "completion_result" && result !== undefined && { result }),
    cost: total.cost,
    usage: total,
  };
}
