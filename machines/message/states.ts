/** The six states of an agent's loop: the names of the machine's top-level states (L1). */
export const AgentLoopState = {
  NO_TASK: "no_task",
  RUNNING: "running",
  STREAMING: "streaming",
  WAITING_FOR_INPUT: "waiting_for_input",
  IDLE: "idle",
  RESUMABLE: "resumable",
} as const;

/** The six states of an agent's loop: the names of the machine's top-level states (L1). */
export type AgentLoopState = (typeof AgentLoopState)[keyof typeof AgentLoopState];

/** The six states, in the order of a task's life. */
export const AGENT_LOOP_STATES: readonly AgentLoopState[] = Object.values(AgentLoopState);

const BY_NAME: ReadonlyMap<string, AgentLoopState> = new Map(
  AGENT_LOOP_STATES.map((state) => [state, state]),
);

/** The value of a snapshot of the machine: a state, or the states in it. */
export type StateValue = string | { readonly [region: string]: StateValue | undefined };

/** Format a state value as a dotted path; parallel regions are joined by `+`. */
export function dottedPath(value: StateValue): string {
  if (typeof value === "string") return value;
  let path = "";
  for (const region of Object.keys(value)) {
    const inner = value[region];
    const below = inner === undefined ? "" : dottedPath(inner);
    path += `${path === "" ? "" : "+"}${region}${below === "" ? "" : `.${below}`}`;
  }
  return path;
}

/** The top-level state of a dotted path of the machine; `no_task` for a path that is not the machine's. */
export function topState(path: string): AgentLoopState {
  const dot = path.indexOf(".");
  return BY_NAME.get(dot < 0 ? path : path.slice(0, dot)) ?? "no_task";
}

/** Whether a task in this state, or in the state of this dotted path, is at rest: `idle` or `resumable`. */
export function isAtRest(path: string): boolean {
  const state = topState(path);
  return state === "idle" || state === "resumable";
}

/** Whether a task in this state, or in the state of this dotted path, has no work: it is at rest or has not started. */
export const hasNoWork = (path: string): boolean => topState(path) === "no_task" || isAtRest(path);
