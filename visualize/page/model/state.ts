import type { AgentLoopState } from "../../../machines/message/states.ts";

/** Short names of the states. */
export const STATE_LABELS: Readonly<Record<AgentLoopState, string>> = {
  no_task: "no task",
  running: "running",
  streaming: "streaming",
  waiting_for_input: "waiting",
  idle: "idle",
  resumable: "resumable",
};

/** Whether `path` is `ancestor` or below it. */
export const isWithin = (path: string, ancestor: string): boolean =>
  path === ancestor || path.startsWith(`${ancestor}.`);
