import type { AgentLoopState } from "../../../machines/index.ts";

/** The six states, in the order of the page. */
export const STATES = [
  "no_task",
  "running",
  "streaming",
  "waiting_for_input",
  "idle",
  "resumable",
] as const satisfies readonly AgentLoopState[];

/** Short names of the states. */
export const STATE_LABELS: Readonly<Record<AgentLoopState, string>> = {
  no_task: "no task",
  running: "running",
  streaming: "streaming",
  waiting_for_input: "waiting",
  idle: "idle",
  resumable: "resumable",
};

/** The top-level state of a dotted path. */
export function topOf(path: string): AgentLoopState {
  const top = path.split(".")[0];
  return STATES.find((state) => state === top) ?? "no_task";
}

/** Whether `path` is `ancestor` or below it. */
export const isWithin = (path: string, ancestor: string): boolean =>
  path === ancestor || path.startsWith(`${ancestor}.`);
