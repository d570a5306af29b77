import { hasNoWork } from "../../../machines/message/states.ts";
import type { TaskStatus } from "../../../present/task-status.ts";
import type { TaskInfo } from "../../../wire/http/api.ts";
import { taskInfoOf } from "../sources/task-info.ts";
import { statusOf } from "./status.ts";
import { nameOf, type SubtaskNode, type SubtaskTree } from "./subtask-tree.ts";
import type { TraceSnapshot } from "./trace-snapshot.ts";
import { eventAtTime } from "./tree-problems.ts";

/** A subtask at one moment. */
export interface SubtaskRow {
  readonly taskId: string;
  /** Its place among the subtasks: `2`, or `2.1` for the first subtask of the second. */
  readonly number: string;
  readonly name: string;
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
    const { taskId, trace: own } = node;
    if (moment.isPast && startOf(node) > time) return [];
    const listed = tasks.find(({ id }) => id === taskId);
    const name = own === undefined ? listed?.title || taskId : nameOf(own);
    const info = moment.isPast ? own && infoAt(own, time) : (listed ?? (own && newestInfo(own)));
    const known = info && knownAt(info, own, moment);
    return [{ taskId, number: numberIn(taskId, trace.taskId), name, known }];
  });
}

/** The number of a subtask below a task: the end of its id. A damaged journal may name any task. */
export const numberIn = (taskId: string, above: string): string =>
  taskId.startsWith(`${above}.`) ? taskId.slice(above.length + 1) : taskId;

/** The time of the first event of a subtask, or of the call that started it. */
const startOf = ({ trace, starts: [{ trace: parent, call }] }: SubtaskNode): number =>
  trace?.index.times[0] ?? parent.index.times[call.seq] ?? 0;

const infoAt = (trace: TraceSnapshot, time: number): TaskInfo => taskInfoOf(trace, eventAtTime(trace, time));

const newest = new WeakMap<TraceSnapshot, TaskInfo>();

function newestInfo(trace: TraceSnapshot): TaskInfo {
  const found = newest.get(trace) ?? taskInfoOf(trace);
  newest.set(trace, found);
  return found;
}

function knownAt(info: TaskInfo, trace: TraceSnapshot | undefined, { until }: SubtaskMoment): KnownSubtask {
  const total = trace?.index.usage.at(-1);
  const { tokensIn = total?.tokensIn ?? 0, tokensOut = total?.tokensOut ?? 0 } = info;
  const hasEnded = info.isInterrupted === true || (hasNoWork(info.state) && info.asks.length === 0);
  const end = hasEnded ? info.updatedAt : Math.max(until, info.updatedAt);
  return {
    ...{ info, status: statusOf(info), tokens: tokensIn + tokensOut },
    elapsed: Math.max(0, end - info.createdAt),
  };
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
