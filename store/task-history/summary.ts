import { type AgentLoopState, hasNoWork, topState } from "../../machines/message/states.ts";
import type { Usage } from "../../machines/task/task.events.ts";
import type { HeaderRecord } from "../../wire/journal/record.ts";
import {
  isCancel,
  type LastAsk,
  type RestReason,
  restReason,
  type StateCause,
} from "../../wire/rest-reason.ts";
import type { TranscriptFormat } from "../../wire/transcript-format.ts";
import type { JournalHolder } from "../journal/holder.ts";
import type { RecordedAsk, StoppedAsk } from "./recorded-ask.ts";

/** The unusable part of a journal. */
export interface TaskProblem {
  /**
   * `torn`: a crash left the last line incomplete; opening the task truncates it. `damaged`: the records after an
   * invalid line are unusable; the task can be read and forked up to that line. `unreadable`: the header is invalid.
   */
  readonly kind: "torn" | "damaged" | "unreadable";
  readonly reason: string;
}

/** Summary of a task on disk, with its usage, without its subtasks. Times are in ms since the epoch. */
export interface TaskSummary extends Usage {
  readonly id: string;
  /** Its name, or else the first line of its prompt, at most 100 characters. */
  readonly title: string;
  /** The real path of its workspace. */
  readonly workspace?: string;
  readonly createdAt: number;
  /** Time of its last record, or of the fork, whichever is later. */
  readonly updatedAt: number;
  /** State after its last commit. A task that nobody runs is at rest: one whose process ended is `resumable`. */
  readonly state: AgentLoopState;
  /** The process that has it open. */
  readonly heldBy?: JournalHolder;
  /** Whether its process ended before it settled: open it to resume. */
  readonly isInterrupted: boolean;
  /** The reason why it is at rest; absent while it is not. */
  readonly rest?: RestReason;
  /** Whether it is at rest after a completion. */
  readonly isCompleted: boolean;
  /** The ask that it waits for or rests on; of an interrupted task, the ask that was open. Its long texts are shortened. */
  readonly ask?: RecordedAsk;
  /** The ask that was open when it was interrupted: it is withdrawn. Its long texts are shortened. */
  readonly stoppedAsk?: StoppedAsk;
  /** Whether a cancel brought it to rest, or a person who declined to continue. */
  readonly isCancelled?: true;
  /** Requests since a person last extended its limits: all of them, if none did. Absent where the journal's end has no count. */
  readonly requests?: number;
  /** Slug of its mode; absent if its journal is unreadable. */
  readonly mode?: string;
  /** The model of its last request: `provider/id`. Absent before one. */
  readonly model?: string;
  /** Size of its journal, in bytes. */
  readonly bytes: number;
  /** Number of its last valid record. */
  readonly lastSeq: number;
  /** Parent and root of a subtask. */
  readonly parentId?: string;
  readonly rootId?: string;
  /** Origin of a fork: the original task and the last shared record. */
  readonly forkedFrom?: { readonly taskId: string; readonly seq: number };
  /** The format of the session of another agent that its journal was made from. */
  readonly transcript?: TranscriptFormat;
  /** Problem of its journal. The order and the checksums of the lines are checked; read the task to check its records. */
  readonly problem?: TaskProblem;
}

/** The summary's fields that depend on the state, as recorded. */
export function stateFields(
  path: string,
  { ask, cause }: LastMessage,
  heldBy: JournalHolder | undefined,
): Pick<TaskSummary, "state" | "isInterrupted" | "rest" | "isCompleted" | "ask" | "isCancelled"> {
  const state = topState(path);
  const rest = restReason(path, ask && lastAskOf(ask));
  const isCancelled = isCancel(state, cause);
  return {
    state,
    isInterrupted: heldBy === undefined && !hasNoWork(state),
    ...(rest !== undefined && { rest }),
    isCompleted: rest === "completed",
    ...(ask !== undefined && { ask }),
    ...(isCancelled && { isCancelled }),
  };
}

/** The ask of a task's last message, and the event that appended it. */
export interface LastMessage {
  readonly ask?: RecordedAsk | undefined;
  readonly cause?: StateCause | undefined;
}

const lastAskOf = ({ kind, errorCode, reason }: RecordedAsk): LastAsk => ({
  ask: kind,
  ...(errorCode !== undefined && { errorCode }),
  ...(reason !== undefined && { reason }),
});

/** The facts of a task that are stored beside its journal. */
export interface StoredFacts {
  /** Its name, if it was renamed. */
  readonly name?: string;
  /** The process that has it open. */
  readonly heldBy?: JournalHolder;
}

/** The order of a list: newest first, then by id. */
export const byNewest = (a: ListPosition, b: ListPosition): number =>
  b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** A place in a list, given by a summary. */
export type ListPosition = Pick<TaskSummary, "id" | "updatedAt">;

/** The summary as it is shown: a task that nobody runs is at rest, as opening it would bring it to rest (L1). */
export const asSettled = <T extends TaskSummary>(summary: T): T =>
  summary.isInterrupted ? { ...summary, state: "resumable", rest: "interrupted" } : summary;

/** The summary's fields from the header. */
export function headerFields({
  workspace,
  parent,
  forkedFrom,
  transcript,
}: HeaderRecord): Pick<TaskSummary, "workspace" | "parentId" | "rootId" | "forkedFrom" | "transcript"> {
  return {
    ...(workspace !== undefined && { workspace }),
    ...(parent !== undefined && { parentId: parent.taskId, rootId: parent.rootId }),
    ...(forkedFrom !== undefined && { forkedFrom }),
    ...(transcript !== undefined && { transcript }),
  };
}
