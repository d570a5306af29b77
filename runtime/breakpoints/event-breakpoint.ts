/** A breakpoint on a type of event. Each condition that it has must hold. */
export interface EventBreakpoint {
  readonly type: string;
  /** The dotted path of a state: the task is in it, or in a state below it. */
  readonly state?: string;
  /** The canonical name of a tool: the event belongs to a call of this tool in the turn. */
  readonly tool?: string;
}

/** The facts that the conditions of an event's breakpoint read. */
export interface EventPlace {
  /** The task's state as a dotted path. */
  readonly state: string;
  /** The tool of the event's call. Absent: the event belongs to no call of the turn. */
  readonly tool?: string;
}

/** The type of event of a breakpoint. */
export const eventTypeOf = (event: string | EventBreakpoint): string =>
  typeof event === "string" ? event : event.type;

/** Whether the conditions of one of these breakpoints hold. */
export const holdsAny = (breakpoints: readonly (string | EventBreakpoint)[], place: EventPlace): boolean =>
  breakpoints.some((each) => typeof each === "string" || holds(each, place));

const holds = ({ state, tool }: EventBreakpoint, place: EventPlace): boolean =>
  (state === undefined || isInState(state, place.state)) && (tool === undefined || tool === place.tool);

/** Whether a state is this one, or below it. Both are dotted paths. */
export const isInState = (ancestor: string, path: string): boolean =>
  path === ancestor || path.startsWith(`${ancestor}.`);
