import type { z } from "zod";
import type { ModelErrorCode } from "../../actors/llm/model-error.ts";
import { ASK_KINDS, type AskKind } from "../../machines/message/asks.ts";
import type { AgentStateInfo } from "../../machines/message/detect.ts";
import { type EndErrorCode, endErrorOf } from "../../machines/message/end-error.ts";
import { parseJson } from "../../machines/message/json.ts";
import { dottedPath, isAtRest as isAtRestIn, topState } from "../../machines/message/states.ts";
import type { Usage } from "../../machines/task/task.events.ts";
import type { Ask } from "./ask.ts";
import type { TaskSnapshot } from "./task-view.ts";

/** The error that ended a run. */
export interface TaskError {
  /** A code of the task, of this package's models, or of the endpoint. */
  readonly code: EndErrorCode | ModelErrorCode | (string & {});
  readonly message: string;
}

/** The position at which a task settled, or at which it waits for an answer that nobody gives. */
export interface TaskEnd {
  readonly state: AgentStateInfo["state"];
  /** The ask that is open now. */
  readonly ask: AskKind;
  /**
   * The asks that hold up the run: the state is `waiting_for_input`, of the task or of a subtask. Answer them, and go on
   * with `Task.resume`. Absent for a task that has settled.
   */
  readonly asks?: readonly [Ask, ...Ask[]];
  /** The model's result, if the task completed. */
  readonly result?: string;
  /** The error that ended the run: a failed request, or a limit. Absent for a task that completed or was cancelled. */
  readonly error?: TaskError;
  /** US dollars of the task's own requests; null: unknown. `Task.totalUsage` includes its subtasks. */
  readonly cost: number | null;
  readonly usage: Usage;
}

export const isAtRest = (value: TaskSnapshot["value"]): boolean => isAtRestIn(dottedPath(value));

/** The end of a run, with its result as `schema` parses it. */
export function typedEnd<T>(end: TaskEnd, schema: z.ZodType<T>): TaskEnd & { readonly value?: T } {
  const parsed = end.result === undefined ? undefined : schema.safeParse(parseJson(end.result));
  return parsed?.success === true ? { ...end, value: parsed.data } : end;
}

/** The end of a run that waits for answers. */
export function waitingEnd({ context: { total } }: TaskSnapshot, asks: readonly [Ask, ...Ask[]]): TaskEnd {
  return { state: "waiting_for_input", ask: asks[0].kind, asks, cost: total.cost, usage: total };
}

export function endOf({ value, context }: TaskSnapshot): TaskEnd {
  const { ask, result, total, log } = context;
  const error = endErrorOf(log);
  return {
    state: topState(dottedPath(value)) === "resumable" ? "resumable" : "idle",
    ask: ASK_KINDS[ask?.ask ?? "resume_task"],
    ...(ask?.ask === "completion_result" && result !== undefined && { result }),
    ...(error !== undefined && { error }),
    cost: total.cost,
    usage: total,
  };
}
