import { type CommitParts, emptyParts, mergeParts, type TaskEvent } from "../../machines/task/index.ts";

/** What one macrostep of a task decided. */
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

/** A commit with its sequence number, as listeners get it (L11). */
export interface PublishedCommit<TSnapshot> {
  readonly commit: Commit;
  /** Number of its record; for streamed text, which is not recorded, of the record before it. */
  readonly seq: number;
  /** False only for the commit that merges all unwritten commits when the journal fails; the task is then at rest. */
  readonly durable: boolean;
  /** The actor's snapshot at the end of the macrostep. */
  readonly snapshot: TSnapshot;
}
