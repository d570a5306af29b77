import type { ClineMessage } from "../machines/message/index.ts";
import type { TaskContext, TaskEmitted } from "../machines/task/index.ts";

/** What has happened on the way to a view: written down from what was emitted, across the ends of processes. */
export interface Life {
  /** The tools that were started, by their actors' ids. */
  readonly tools: ReadonlySet<string>;
  /** The calls that were delegated, and the subtask of each. */
  readonly children: ReadonlyMap<string, string>;
  /** The calls that were decided. */
  readonly decided: ReadonlySet<string>;
  /** The subtasks whose end is a row, by their calls. */
  readonly reported: ReadonlySet<string>;
  /** Of the turn since the newest request was sent. */
  readonly checkpoint: "none" | "saving" | "over";
  /** How often the task was opened from what was remembered. */
  readonly crashes: number;
  /** The newest row, as it was when it was appended. */
  readonly appended: ClineMessage | undefined;
}

export const NO_OBSERVATIONS: Life = {
  tools: new Set(),
  children: new Map(),
  decided: new Set(),
  reported: new Set(),
  checkpoint: "none",
  crashes: 0,
  appended: undefined,
};

const SUBTASK = "subtask:";

/** The life after these pieces. `context` is the one after them: it says which subtask a call has. */
export function observationsAfter(life: Life, emitted: readonly TaskEmitted[], context: TaskContext): Life {
  return emitted.reduce((sofar, piece) => afterPiece(sofar, piece, context), life);
}

function afterPiece(life: Life, piece: TaskEmitted, context: TaskContext): Life {
  switch (piece.type) {
    case "message.appended":
      return withRow(life, piece.message);
    case "decision.made":
      return { ...life, decided: new Set(life.decided).add(piece.decision.callId) };
    case "effect.started":
      return withStart(life, piece.effect, piece.id, context);
    case "effect.stopped":
      return piece.effect === "checkpoint" ? { ...life, checkpoint: "over" } : life;
    default:
      return life;
  }
}

function withRow(life: Life, row: ClineMessage): Life {
  if (row.say !== "subtask_result" || row.callId === undefined) return { ...life, appended: row };
  return { ...life, appended: row, reported: new Set(life.reported).add(row.callId) };
}

function withStart(life: Life, effect: string, id: string, { turn }: TaskContext): Life {
  switch (effect) {
    case "llm":
      return life.checkpoint === "none" ? life : { ...life, checkpoint: "none" };
    case "checkpoint":
      return { ...life, checkpoint: "saving" };
    case "tool":
      return { ...life, tools: new Set(life.tools).add(id) };
    case "subtask": {
      const callId = id.slice(SUBTASK.length);
      const call = turn.calls.find((one) => one.callId === callId);
      const childId = call?.phase === "delegated" ? call.childId : "";
      return { ...life, children: new Map(life.children).set(callId, childId) };
    }
    default:
      return life;
  }
}
