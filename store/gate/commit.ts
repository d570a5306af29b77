import { type Log, type LogEvent, positionOf } from "../../machines/message/log.ts";
import { type CommitParts, emptyParts, mergeParts } from "../../machines/task/commit.ts";
import type { CallMoved, ReportEvent, TaskEvent } from "../../machines/task/task.events.ts";
import type { JournalError } from "../journal/error.ts";

/** The decisions of one macrostep of a task. */
export interface Commit extends CommitParts {
  /** The event that caused it; absent for what an actor decided when it started. */
  readonly cause: TaskEvent | undefined;
  /** The machine's state before and after, as dotted paths. */
  readonly before: string;
  readonly after: string;
}

/** Merge commits, in this order. */
export const mergeCommits = (commits: readonly [Commit, ...Commit[]]): Commit =>
  commits.reduce((earlier, later) => ({
    ...emptyParts,
    ...mergeParts(earlier, later),
    cause: later.cause,
    before: earlier.before,
    after: later.after,
  }));

/**
 * The commits that no record has, as listeners may see them: each message as it is after the last one, and without the
 * report of a completion, which the failure of the journal revoked.
 */
export function unwrittenCommit(commits: readonly [Commit, ...Commit[]], log: Log): Commit {
  const merged = mergeCommits(commits);
  const appended = new Set<number>();
  const settled = merged.log.flatMap((event): readonly LogEvent[] => {
    if (event.type === "message.appended") {
      appended.add(event.message.ts);
      return [{ ...event, message: log.at(positionOf(log, event.message.ts)) ?? event.message }];
    }
    return "ts" in event && appended.has(event.ts) ? [] : [event];
  });
  return { ...merged, log: settled, reports: merged.reports.filter((report) => !isCompletion(report)) };
}

/** Whether a commit completes the task, or offers its completion. */
export const completes = ({ reports }: Commit): boolean => reports.some(isCompletion);

const isCompletion = (report: ReportEvent): boolean =>
  report.type === "task.completed" || report.ask === "completion_result";

/** A commit with its sequence number, as listeners get it (L11). */
export interface PublishedCommit<TSnapshot> {
  readonly commit: Commit;
  /** Number of its record; for streamed text, which is not recorded, of the record before it. */
  readonly seq: number;
  /** False only for the commit that merges all unwritten commits when the journal fails; the task is then at rest. */
  readonly durable: boolean;
  /** The error of the journal; of a commit that is not durable. It has no completion. */
  readonly failure?: JournalError;
  /** The actor's snapshot at the end of the macrostep. */
  readonly snapshot: TSnapshot;
  /** The transitions that tool calls took in it, in order. No record has them. */
  readonly moves: readonly CallMoved[];
}
