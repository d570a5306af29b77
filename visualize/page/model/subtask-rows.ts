import { hasNoWork } from "../../../machines/message/states.ts";
import type { TaskStatus } from "../../../present/task-status.ts";
import type { TaskInfo } from "../../../wire/http/api.ts";
import { taskInfoOf } from "../sources/task-info.ts";
import { isInBackground } from "./background-subtasks.ts";
import { infoIn, listedTask } from "./listed-task.ts";
import type { SubtaskName } from "./subtask-name.ts";
import type { SubtaskNode, SubtaskTree } from "./subtask-tree.ts";
import type { TraceSnapshot } from "./trace-snapshot.ts";
import { eventAtTime } from "./tree-problems.ts";

/** A subtask at one moment. */
export interface SubtaskRow extends SubtaskName {
  readonly taskId: string;
  /** Undefined: neither its trace nor its entry in the list is loaded. */
  readonly known: KnownSubtask | undefined;
}

interface KnownSubtask {
  /** The task at that moment. Without the newest facts it can't be answered. */
  readonly info: TaskInfo;
  readonly status: TaskStatus;
  readonly tokens: number;
  /** The time from its start to its end or, while it has not ended, to that moment, in milliseconds. */
  readonly elapsed: number;
}

/** The moment at which subtasks are shown. */
export interface SubtaskMoment {
  /** The event of the shown task. */
  readonly at: number;
  /** Whether it is not the newest: then only subtasks that had begun are shown, by their traces. */
  readonly isPast: boolean;
  /** The time until which that lasts which has not ended, in milliseconds since 1970. */
  readonly until: number;
}

/** The subtasks of a task at a moment, at any depth, each before its own. `tasks`: the newest facts about them. */
export function subtaskRows(
  trace: TraceSnapshot,
  { all }: Pick<SubtaskTree, "all">,
  moment: SubtaskMoment,
  tasks: readonly TaskInfo[],
): readonly SubtaskRow[] {
  const time = trace.index.times[moment.at] ?? 0;
  return all.flatMap((node) => {
    if (moment.isPast && startOf(node) > time) return [];
    const { taskId, trace: own } = node;
    const info = moment.isPast ? own && infoAt(own, eventAtTime(own, time)) : newestInfo(taskId, own, tasks);
    const { trace: parent } = node.starts[0];
    const isBeside = isInBackground(parent, taskId, moment.isPast ? eventAtTime(parent, time) : undefined);
    return [rowOf(node, info, isBeside, moment.until)];
  });
}

/** The time of the first event of a subtask, or of the call that started it. */
const startOf = ({ trace, starts: [{ trace: parent, call }] }: SubtaskNode): number =>
  trace?.index.times[0] ?? parent.index.times[call.seq] ?? 0;

/** The newest facts about a subtask, from the list of tasks or else from its trace. Undefined: neither is loaded. */
export const newestInfo = (
  taskId: string,
  trace: TraceSnapshot | undefined,
  tasks: readonly TaskInfo[],
): TaskInfo | undefined => infoIn(tasks, taskId) ?? (trace && infoAt(trace, trace.length - 1));

interface InfoAt {
  readonly at: number;
  readonly info: TaskInfo;
}

/** The newest info of each trace, and one of an earlier event. */
const newestInfos = new WeakMap<TraceSnapshot, InfoAt>();
const earlierInfos = new WeakMap<TraceSnapshot, InfoAt>();

/** The facts about a task after an event. They are computed again only for another event of this task. */
export function infoAt(trace: TraceSnapshot, at: number): TaskInfo {
  const infos = at === trace.length - 1 ? newestInfos : earlierInfos;
  const known = infos.get(trace);
  if (known?.at === at) return known.info;
  const info = taskInfoOf(trace, at);
  infos.set(trace, { at, info });
  return info;
}

const rows = new WeakMap<TaskInfo, { readonly trace: TraceSnapshot | undefined; readonly row: SubtaskRow }>();

/** The row of a subtask: the same one, unless its facts, its trace, its name or its time have changed. */
function rowOf(
  { taskId, number, title, trace }: SubtaskNode,
  info: TaskInfo | undefined,
  isBeside: boolean,
  until: number,
): SubtaskRow {
  if (info === undefined) return { taskId, number, title, isBeside, known: undefined };
  const elapsed = elapsedIn(info, until);
  const before = rows.get(info);
  const isSame =
    before?.trace === trace &&
    before?.row.number === number &&
    before.row.title === title &&
    before.row.isBeside === isBeside &&
    before.row.known?.elapsed === elapsed;
  if (before !== undefined && isSame) return before.row;
  const known = { info, status: listedTask(info).status, tokens: tokensIn(info, trace), elapsed };
  const row = { taskId, number, title, isBeside, known };
  rows.set(info, { trace, row });
  return row;
}

function tokensIn(info: TaskInfo, trace: TraceSnapshot | undefined): number {
  const total = trace?.index.usage.at(-1);
  return (info.tokensIn ?? total?.tokensIn ?? 0) + (info.tokensOut ?? total?.tokensOut ?? 0);
}

function elapsedIn(info: TaskInfo, until: number): number {
  const hasEnded = info.isInterrupted === true || (hasNoWork(info.state) && info.asks.length === 0);
  const end = hasEnded ? info.updatedAt : Math.max(until, info.updatedAt);
  return Math.max(0, end - info.createdAt);
}

/** The cost of a task and of its subtasks in US dollars; null: a part is unknown. */
export function treeCost(own: number | null, rows: readonly SubtaskRow[]): number | null {
  let sum = own;
  for (const { known } of rows) {
    const cost = known === undefined ? null : known.info.cost;
    sum = sum === null || cost === null ? null : sum + cost;
  }
  return sum;
}
