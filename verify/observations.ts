import type { ClineMessage } from "../machines/message/index.ts";
import type { TaskContext, TaskEmitted } from "../machines/task/index.ts";

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
}

export const NO_OBSERVATIONS: Observations = {
  tools: new Set(),
  children: new Map(),
  decided: new Set(),
  reported: new Set(),
  checkpoint: "none",
  crashes: 0,
  appended: undefined,
};

const SUBTASK = "subtask:";

/** Observations after a macrostep. `context` is the one after it: it has the subtask of each call. */
export const observationsAfter = (
  observed: Observations,
  emitted: readonly TaskEmitted[],
  context: TaskContext,
): Observations => emitted.reduce((before, event) => afterEvent(before, event, context), observed);

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

function withStart(observed: Observations, effect: string, id: string, { turn }: TaskContext): Observations {
  switch (effect) {
    case "llm":
      return observed.checkpoint === "none" ? observed : { ...observed, checkpoint: "none" };
    case "checkpoint":
      return { ...observed, checkpoint: "saving" };
    case "tool":
      return { ...observed, tools: new Set(observed.tools).add(id) };
    case "subtask": {
      const callId = id.slice(SUBTASK.length);
      const call = turn.calls.find((one) => one.callId === callId);
      const childId = call?.phase === "delegated" ? call.childId : "";
      return { ...observed, children: new Map(observed.children).set(callId, childId) };
    }
    default:
      return observed;
  }
}
