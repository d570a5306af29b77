import { SUBTASK_UNAVAILABLE } from "../message/asks.ts";
import type { SubtaskOutcome } from "../tool-call/call.ts";
import type { CommitParts } from "./commit.ts";

/** The parts of a commit that say whether a subtask ended with it. */
export interface OutcomeFacts extends Pick<CommitParts, "log" | "reports" | "facts"> {
  /** The state after the commit, as a dotted path. */
  readonly after: string;
  readonly cause?: { readonly type: string } | undefined;
}

/** Whether the task rests with the commit since a subtask of its own can't be opened now. */
export const waitsForUnavailable = ({ log }: Pick<OutcomeFacts, "log">): boolean =>
  log.some((event) => event.type === "message.appended" && event.message.reason === SUBTASK_UNAVAILABLE);

/** The outcome that a commit gives a subtask: completed, or stopped and at rest. */
export function subtaskOutcome(commit: OutcomeFacts): SubtaskOutcome | undefined {
  const { cause, after, reports, facts } = commit;
  const completed = reports.find(({ type }) => type === "task.completed");
  if (completed?.type === "task.completed") {
    const { result, rest } = completed;
    return { kind: "finished", result, ...(rest !== undefined && { rest }) };
  }
  if (after !== "resumable" || !reports.some(({ type }) => type === "task.rested")) return undefined;
  // It has not ended: it was paused, it was opened after a crash, or its own subtask can't be opened now.
  if (facts?.pause === "resting") return undefined;
  if (cause?.type === "task.recovered" || waitsForUnavailable(commit)) return undefined;
  // A journal of version 0.2 has no reason in the ask of such a task.
  if (cause?.type === "subtask.unavailable") return undefined;
  return cause?.type === "journal.failed"
    ? { kind: "failed", message: "its journal could not be written" }
    : { kind: "cancelled" };
}

/** The facts in both journals about the subtask of a call. */
export interface FoundSubtask {
  /** `foreign`: the header names another call. */
  readonly journal: "none" | "own" | "foreign";
  /** Whether the parent has the mark of its deletion. It counts without a journal only. */
  readonly isDeleted: boolean;
  /** The first outcome in the journal. */
  readonly outcome: SubtaskOutcome | undefined;
}

/**
 * The next step for the subtask that a call waits for: create it, open it, or use its outcome (L16). One that was deleted is
 * not one that was never created.
 */
export function subtaskStep({
  journal,
  isDeleted,
  outcome,
}: FoundSubtask): "create" | "open" | "refuse" | SubtaskOutcome {
  if (journal === "foreign") return "refuse";
  if (journal === "none") return isDeleted ? { kind: "deleted" } : "create";
  return outcome ?? "open";
}
