import { z } from "zod";
import { parseJson } from "../../../machines/message/json.ts";
import { breakpointsSchema } from "../../../wire/http/api.ts";
import type { Breakpoints, TaskActions } from "../source.ts";

const KEY = "signalbox.breakpoints";
/** The most tasks whose breakpoints are kept: the newest. */
const TASKS_MAX = 50;

/** The breakpoints of tasks, by the tasks' ids. The task that was changed last is last. */
const keptSchema = z.record(z.string(), breakpointsSchema);

/** Keep the breakpoints of a task in this browser. A pause is not kept: it holds one event. */
export function keepBreakpoints(taskId: string, { states, events, laws }: Breakpoints): void {
  const others = Object.entries(readKept()).filter(([id]) => id !== taskId);
  const isEmpty = states.length + events.length === 0 && !laws;
  const kept = isEmpty ? others : [...others, [taskId, { states, events, laws }]];
  storage()?.setItem(KEY, JSON.stringify(Object.fromEntries(kept.slice(-TASKS_MAX))));
}

/** Open a task, and set the breakpoints that this browser keeps for it: they end with the process of a task. */
export async function openWithBreakpoints(actions: TaskActions, taskId: string): Promise<string> {
  const { id } = await actions.open(taskId);
  const kept = new Map(Object.entries(readKept())).get(taskId);
  if (kept !== undefined) await actions.setBreakpoints(id, kept);
  return id;
}

const readKept = (): Readonly<Record<string, Breakpoints>> =>
  keptSchema.safeParse(parseJson(storage()?.getItem(KEY) ?? "{}")).data ?? {};

/** The storage of the browser. A page in a sandboxed frame has none: the browser throws. */
function storage(): Storage | undefined {
  try {
    return window.localStorage;
  } catch {
    return undefined;
  }
}
