import type { ClineMessage } from "../machines/message/message.ts";
import type { TaskContext } from "../machines/task/task.context.ts";
import type { TaskEmitted } from "../machines/task/task.events.ts";

/** Facts of a whole path that laws need, collected from emitted events across crashes. */
export interface Observations {
  /** Actor ids of the tools that were started. */
  readonly tools: ReadonlySet<string>;
  /** Subtask ids by the delegated call. */
  readonly children: ReadonlyMap<string, string>;
  /** Call ids with a decision. */
  readonly decided: ReadonlySet<string>;
  /** Call ids of the subtasks whose end a message reports. */
  readonly reported: ReadonlySet<string>;
  /** Checkpoint of the current turn. */
  readonly checkpoint: "none" | "saving" | "over";
  /** How often the task was reopened after a crash. */
  readonly crashes: number;
  /** The newest message, as it was appended. */
  readonly appended: ClineMessage | undefined;
  /** The facts that the explored policies over time are about. */
  readonly starts: Starts;
  /** The newest call whose start policies over time judged. */
  readonly judged: JudgedStart | undefined;
  /** Who permitted each call, in a task with policies over time. */
  readonly permitted: ReadonlyMap<string, Approver>;
}

/** Who permits a call: a person, or a rule of any kind. */
export type Approver = "person" | "policy";

/** Whether a call was started that each of them permitted. */
type Starts = Readonly<Record<Approver, boolean>>;

/** A call, and what had happened when its last review was started. */
interface JudgedStart {
  readonly callId: string;
  readonly starts: Starts;
  /** Whether nothing has happened since then that policies may be about. */
  readonly isCurrent: boolean;
}

export const NO_OBSERVATIONS: Observations = {
  tools: new Set(),
  children: new Map(),
  decided: new Set(),
  reported: new Set(),
  checkpoint: "none",
  crashes: 0,
  appended: undefined,
  starts: { person: false, policy: false },
  judged: undefined,
  permitted: new Map(),
};

const SUBTASK = "subtask:";

/** Observations after a macrostep. `context` is the one after it: it has the subtask of each call. */
export const observationsAfter = (
  observed: Observations,
  emitted: readonly TaskEmitted[],
  context: TaskContext,
): Observations => {
  const after = emitted.reduce((before, event) => afterEvent(before, event, context), observed);
  return context.policies ? withJudgements(after, emitted, context) : after;
};

/** Observations of a task with policies over time. */
function withJudgements(
  observed: Observations,
  emitted: readonly TaskEmitted[],
  { turn }: TaskContext,
): Observations {
  let { starts, judged, permitted } = observed;
  for (const event of emitted) {
    if (event.type === "decision.made") {
      const by = "person" in event.decision.by ? "person" : "policy";
      permitted = new Map(permitted).set(event.decision.callId, by);
    }
    if (judged?.isCurrent === true && mayMatter(event)) judged = { ...judged, isCurrent: false };
    if (event.type === "call.changed" && (event.call.phase === "running" || event.call.phase === "delegated"))
      starts = { ...starts, [permitted.get(event.call.callId) ?? "policy"]: true };
    const callId = event.type === "effect.started" ? judgedBy(event.id, turn) : undefined;
    if (callId !== undefined) judged = { callId, starts, isCurrent: true };
  }
  return { ...observed, starts, judged, permitted };
}

/** The call that a review judges as it is about to start. */
const judgedBy = (id: string, { calls }: TaskContext["turn"]): string | undefined =>
  calls.find((call) => call.phase === "judging" && id === `review:${call.callId}`)?.callId;

function afterEvent(observed: Observations, event: TaskEmitted, context: TaskContext): Observations {
  switch (event.type) {
    case "message.appended":
      return withMessage(observed, event.message);
    case "decision.made":
      return { ...observed, decided: new Set(observed.decided).add(event.decision.callId) };
    case "effect.started":
      return withStart(observed, event.effect, event.id, context);
    case "effect.stopped":
      return event.effect === "checkpoint" ? { ...observed, checkpoint: "over" } : observed;
    default:
      return observed;
  }
}

function withMessage(observed: Observations, message: ClineMessage): Observations {
  if (message.say !== "subtask_result" || message.callId === undefined)
    return { ...observed, appended: message };
  return { ...observed, appended: message, reported: new Set(observed.reported).add(message.callId) };
}

function withStart(
  observed: Observations,
  effect: string,
  id: string,
  { turn, backgroundSubtasks }: TaskContext,
): Observations {
  switch (effect) {
    case "llm":
      return observed.checkpoint === "none" ? observed : { ...observed, checkpoint: "none" };
    case "checkpoint":
      return { ...observed, checkpoint: "saving" };
    case "tool":
      return { ...observed, tools: new Set(observed.tools).add(id) };
    case "subtask": {
      const callId = id.slice(SUBTASK.length);
      const isOfCall = (one: { readonly callId: string }) => one.callId === callId;
      const call = turn.calls.find(isOfCall);
      const subtask = call?.phase === "delegated" ? call : backgroundSubtasks.find(isOfCall);
      const childId = subtask?.childId ?? "";
      return { ...observed, children: new Map(observed.children).set(callId, childId) };
    }
    default:
      return observed;
  }
}

const BEGUN: ReadonlySet<string> = new Set(["running", "delegated", "settled"]);

/** Whether policies over time may be about the event. A change of the mode makes verdicts stale (law GATE). */
export function mayMatter(event: TaskEmitted): boolean {
  if (event.type === "control.judged") return true;
  if (event.type === "call.changed") return BEGUN.has(event.call.phase);
  if (event.type !== "message.appended") return false;
  return event.message.say === "user_feedback" || event.message.say === "api_req_started";
}
