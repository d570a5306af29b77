import { endErrorOf } from "../../machines/message/end-error.ts";
import { dottedPath } from "../../machines/message/states.ts";
import { modelName } from "../../machines/task/model-name.ts";
import { selectedProfile } from "../../machines/task/profile.ts";
import { selectedIntent } from "../../machines/tool-call/intent.ts";
import type { ApprovalAsk, Ask } from "../../runtime/task/ask.ts";
import type { Task } from "../../runtime/task/task.ts";
import { stoppedAskIn } from "../../store/task-history/recorded-ask.ts";
import type { RecordedTask } from "../../store/task-history/recorded-task.ts";
import type { TaskSummary } from "../../store/task-history/summary.ts";
import { permissionsInfo, type TaskInfo } from "../../wire/http/api.ts";
import { restReason } from "../../wire/rest-reason.ts";

/** The facts of a task that its journal has, and its snapshot lacks. */
export type Origin = Pick<
  TaskInfo,
  "title" | "createdAt" | "workspace" | "parentId" | "isCancelled" | "transcript"
>;

/** A task that is open here. `updatedAt`: the time of its newest commit. */
export function openTaskInfo(task: Task, origin: Origin, updatedAt: number): TaskInfo {
  const { value, context } = task.snapshot;
  const { total, mode, permissions, intent, counters, wakeUps, model } = context;
  const { isHolding, held, broken } = task.breakpoints;
  const path = dottedPath(value);
  const rest = restReason(path, task.log.at(-1) ?? undefined);
  const error = rest === undefined ? undefined : endErrorOf(task.log);
  const stopped = stoppedAskIn(task.log);
  return {
    id: task.id,
    ...origin,
    state: task.state.state,
    path,
    ...(rest !== undefined && { rest }),
    ...(stopped !== undefined && { stoppedAsk: stopped }),
    ...(error !== undefined && { error: { ...error } }),
    mode,
    profile: selectedProfile(context),
    ...(model !== undefined && model !== null && { model: modelName(model) }),
    ...(wakeUps.length > 0 && { wakeUps: [...wakeUps] }),
    ...(intent !== null && { intent: selectedIntent(intent) ?? null }),
    permissions: permissionsInfo(permissions),
    cost: total.cost,
    tokensIn: total.tokensIn,
    tokensOut: total.tokensOut,
    messages: task.log.length,
    requests: counters.requests,
    updatedAt,
    isOpen: true,
    asks: task.asks.map(askInfo),
    ...(isHolding && { held: held.map(({ type }) => type) }),
    ...(broken !== undefined && { broken: { ...broken } }),
  };
}

function askInfo(ask: Ask): TaskInfo["asks"][number] {
  const { id, type, text, callId, reason, accepts } = ask;
  return {
    askId: id,
    kind: type,
    text,
    ...(callId !== undefined && { callId }),
    ...(reason !== undefined && { reason }),
    accepts: [...accepts],
    ...("paths" in ask && callInfo(ask)),
    ...("result" in ask && { result: ask.result }),
  };
}

const callInfo = ({ tool, command, paths, diff, rules, proposal }: ApprovalAsk) => ({
  ...(tool !== undefined && { tool }),
  ...(command !== undefined && { command }),
  paths: [...paths],
  ...(diff !== undefined && { diff }),
  rules: [...rules],
  ...(proposal !== undefined && { proposal: proposal.kind }),
});

/** A task on disk, from its summary. */
export function summaryInfo(summary: TaskSummary): TaskInfo {
  const { id, state, cost, updatedAt, rest, isInterrupted, ask, stoppedAsk, mode, model, requests, problem } =
    summary;
  return {
    id,
    ...originOf(summary),
    state,
    path: state,
    cost,
    updatedAt,
    isOpen: false,
    asks: [],
    ...(rest !== undefined && { rest }),
    ...(mode !== undefined && { mode }),
    ...(model !== undefined && { model }),
    ...(requests !== undefined && { requests }),
    ...(isInterrupted && { isInterrupted }),
    ...(ask !== undefined && { lastAsk: ask }),
    ...(stoppedAsk !== undefined && { stoppedAsk }),
    ...(problem !== undefined && { problem }),
  };
}

/** A task on disk whose whole journal was read. */
export function recordedInfo(task: RecordedTask): TaskInfo {
  const { tokensIn, tokensOut } = task.total;
  return { ...summaryInfo(task), tokensIn, tokensOut, messages: task.rows.length };
}

export function originOf({
  title,
  createdAt,
  workspace,
  parentId,
  isCancelled,
  transcript,
}: TaskSummary): Origin {
  return {
    title,
    createdAt,
    ...(workspace !== undefined && { workspace }),
    ...(parentId !== undefined && { parentId }),
    ...(isCancelled === true && { isCancelled }),
    ...(transcript !== undefined && { transcript }),
  };
}
