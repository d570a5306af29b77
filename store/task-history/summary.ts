import { z } from "zod";
import type { HeaderRecord } from "../../wire/index.ts";
import type { JournalHolder } from "../journal/index.ts";

/** The states of a task, as its rows mean them. */
export type TaskState = "no_task" | "running" | "streaming" | "waiting_for_input" | "idle" | "resumable";

/** What stands in a journal that can't be used. */
export interface TaskProblem {
  /**
   * `torn`: a crash left its last line half written; opening the task to run cuts it. `damaged`: what stands behind
   * a bad line can't be used; the task can be read and forked up to it. `unreadable`: it tells nothing.
   */
  readonly kind: "torn" | "damaged" | "unreadable";
  readonly reason: string;
}

/** A task on disk, in short. Times are milliseconds since 1970. */
export interface TaskSummary {
  readonly id: string;
  /** The name that it was given; else the first line of its prompt, at most 100 characters. */
  readonly title: string;
  /** The real path of its workspace. */
  readonly workspace?: string;
  readonly createdAt: number;
  /** When its last record was made, or, of a fork that has none of its own, the fork. */
  readonly updatedAt: number;
  /** After its last commit. One that nobody has open stays in the state in which its process ended. */
  readonly state: TaskState;
  /** Who has it open now. */
  readonly heldBy?: JournalHolder;
  /** Its process ended before it came to rest: open it to go on. */
  readonly isInterrupted: boolean;
  /** It rests on a result that the model gave. */
  readonly isCompleted: boolean;
  /** US dollars, of the whole task. */
  readonly cost: number;
  /** Size of its journal. */
  readonly bytes: number;
  /** The number of its last good record. */
  readonly lastSeq: number;
  /** Of a subtask: the task that it works for, and the topmost one. */
  readonly parentId?: string;
  readonly rootId?: string;
  /** Of a fork: the task that it was taken from, and the last record that both share. */
  readonly forkedFrom?: { readonly taskId: string; readonly seq: number };
  /** What is wrong with its journal, as far as its ends tell. Reading the task tells all. */
  readonly problem?: TaskProblem;
}

const stateSchema = z.enum(["no_task", "running", "streaming", "waiting_for_input", "idle", "resumable"]);

/** The state that a dotted path of the machine means. */
export function taskState(path: string): TaskState {
  return stateSchema.safeParse(path.split(".", 1)[0]).data ?? "no_task";
}

const AT_REST: ReadonlySet<TaskState> = new Set(["no_task", "idle", "resumable"]);
const COMPLETED = /^idle\.(completing|completed|declined|reopened)$/;

/** What a state means for a person. */
export function stateFields(
  path: string,
  lastAsk: string | undefined,
  heldBy: JournalHolder | undefined,
): Pick<TaskSummary, "state" | "isInterrupted" | "isCompleted"> {
  const state = taskState(path);
  // A task that was imported has no other word of what it rests on.
  const offered = path === "idle" && (lastAsk === "completion_result" || lastAsk === "resume_completed_task");
  return {
    state,
    isInterrupted: heldBy === undefined && !AT_REST.has(state),
    isCompleted: COMPLETED.test(path) || offered,
  };
}

/** What the header tells. */
export function headerFields({
  workspace,
  parent,
  forkedFrom,
}: HeaderRecord): Pick<TaskSummary, "workspace" | "parentId" | "rootId" | "forkedFrom"> {
  return {
    ...(workspace !== undefined && { workspace }),
    ...(parent !== undefined && { parentId: parent.taskId, rootId: parent.rootId }),
    ...(forkedFrom !== undefined && { forkedFrom }),
  };
}
