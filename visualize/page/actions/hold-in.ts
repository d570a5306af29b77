import type { TaskActions } from "../source.ts";

/** Add a breakpoint on a state to the breakpoints of a task. */
export async function holdIn(actions: TaskActions, taskId: string, state: string): Promise<void> {
  const { states, events, laws, pause } = await actions.breakpoints(taskId);
  const all = [...new Set([...states, state])];
  await actions.setBreakpoints(taskId, { states: all, events, laws, pause });
}
