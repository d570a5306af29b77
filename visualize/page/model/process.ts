import { hasNoWork } from "../../../machines/message/states.ts";
import type { TaskInfo } from "../../../wire/http/api.ts";
import { openAsks } from "../sources/task-info.ts";
import { ago } from "./format.ts";
import type { TraceSnapshot } from "./trace-snapshot.ts";

/** The process that runs a task, as far as the page knows. `unknown`: nothing says that a process runs it. */
export type TaskProcess = "alive" | "ended" | "unknown";

/**
 * The process of a task, by its entry in the list. Another process than the server may run it: `isServed` says that the
 * list is a server's, and not a recording's.
 */
export function processOf(info: TaskInfo | undefined, trace: TraceSnapshot, isServed: boolean): TaskProcess {
  if (info === undefined) return "unknown";
  if (info.isOpen) return "alive";
  if (info.isInterrupted === true) return isNewFork(trace) ? "unknown" : "ended";
  return isServed && !hasNoWork(info.state) && hasAllOf(trace, info) ? "alive" : "unknown";
}

/** Whether no process has run this task yet: it has only the records that it was forked with. */
function isNewFork(trace: TraceSnapshot): boolean {
  const { record: first } = trace.event(0);
  const shared = first.kind === "header" ? first.forkedFrom?.seq : undefined;
  return shared !== undefined && trace.event(trace.length - 1).record.seq <= shared;
}

/** Whether something is under way after the newest event: work, or an ask that waits for an answer. */
export function isUnderWay(trace: TraceSnapshot): boolean {
  const { state, actors } = trace.moment(trace.length - 1);
  return !hasNoWork(state) || actors.size > 0 || openAsks(trace).length > 0;
}

/** A sentence: what was under way when the process of a task ended, and how long ago its last event was. */
export function endOfProcess(info: TaskInfo, trace: TraceSnapshot, now: number): string {
  const since = ago(Math.max(0, now - info.updatedAt));
  return `The process ended while ${hasAllOf(trace, info) ? workOf(trace) : "the task worked"}, ${since}.`;
}

/** The trace of a task that another process runs may be older than its entry in the list. */
const hasAllOf = ({ index }: TraceSnapshot, { updatedAt }: TaskInfo): boolean =>
  (index.times.at(-1) ?? 0) >= updatedAt;

/** The work of each kind of actor. The first that runs is named. */
const WORK = [
  ["tool", "a tool ran"],
  ["subtask", "a subtask ran"],
  ["llm", "a request was open"],
  ["condense", "it condensed the conversation"],
  ["review", "a call was reviewed"],
  ["hook", "a hook ran"],
  ["timer", "it waited for its next try"],
  ["checkpoint", "it saved a checkpoint"],
] as const;

function workOf(trace: TraceSnapshot): string {
  const { actors, derived } = trace.moment(trace.length - 1);
  if (derived.state === "waiting_for_input") return "it waited for an answer";
  const kinds = new Set([...actors.keys()].map((id) => id.split(":", 1)[0]));
  return WORK.find(([kind]) => kinds.has(kind))?.[1] ?? "the task worked";
}
