import type { TaskInput } from "../../machines/task/task.context.ts";
import type { Script } from "./script.ts";

interface PlannedTask {
  readonly script: Script;
  readonly input: Omit<TaskInput, "taskId">;
}

/** The tasks of a chain, the root first, and what can happen to them beside crashes and cancels. */
export interface ChainPlan {
  readonly tasks: readonly PlannedTask[];
  readonly pauses?: boolean;
  /** Crashes, cancels and pauses. Default: any number. */
  readonly interruptions?: number;
  /** A journal may be unreadable when it is opened. */
  readonly unreadable?: boolean;
}

type Way = "foreground" | "background";

const LIMITS = { subtaskShare: 0.75, retries: 0, pauses: 0, mistakes: 0, requests: 1_000 } as const;

const DELEGATE = {
  foreground: { name: "delegate", ask: "tool", effect: "delegates" },
  background: { name: "background", ask: "tool", effect: "delegates", inBackground: true },
} as const;
const WRITE = { name: "write", ask: "tool", effect: "writes" } as const;
const COMPLETE = { name: "complete", ask: "completion_result", effect: "asks", repeats: true } as const;

/**
 * A chain whose tasks start their subtasks in these ways. The last task writes once, and so does one whose subtask works in the
 * background. A subtask completes by a call, the root by the end of its turn.
 */
export const chainPlan = (
  ways: readonly Way[],
  subtasksAtCompletion: "wait" | "cancel" = "wait",
  requests?: number,
): ChainPlan["tasks"] =>
  [...ways, undefined].map((way, depth) => ({
    script: [
      ...(way === undefined ? [] : [DELEGATE[way]]),
      ...(way === "foreground" ? [] : [WRITE]),
      ...(depth === 0 ? [] : [COMPLETE]),
    ],
    input: {
      limits: LIMITS,
      subtasksAtCompletion,
      completion: depth === 0 ? "end_turn" : "tool",
      ...(depth === 0 && requests !== undefined && { budget: { from: "user", grant: { requests } } }),
    },
  }));
