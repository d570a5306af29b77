import type { AgentLoopState } from "../../../machines/index.ts";

/** The six states, in the order in which the page shows them: from nothing, through work, to rest. */
export const STATES = [
  "no_task",
  "running",
  "streaming",
  "waiting_for_input",
  "idle",
  "resumable",
] as const satisfies readonly AgentLoopState[];

/** What a state is called where there is little room. */
export const STATE_WORDS: Readonly<Record<AgentLoopState, string>> = {
  no_task: "no task",
  running: "running",
  streaming: "streaming",
  waiting_for_input: "waiting",
  idle: "idle",
  resumable: "resumable",
};

/** The state of the six that a dotted path lies in. */
export function topOf(path: string): AgentLoopState {
  const top = path.split(".")[0];
  return STATES.find((state) => state === top) ?? "no_task";
}

/** Whether `path` is `ancestor` or lies in it. */
export const isWithin = (path: string, ancestor: string): boolean =>
  path === ancestor || path.startsWith(`${ancestor}.`);
