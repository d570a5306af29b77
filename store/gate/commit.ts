import { type CommitParts, emptyParts, mergeParts, type TaskEvent } from "../../machines/task/index.ts";

/** What one macrostep of a task decided. */
export interface Commit extends CommitParts {
  /** The event that caused it; absent for what an actor decided when it started. */
  readonly cause: TaskEvent | undefined;
  /** The machine's state before and after, as dotted paths. */
  readonly before: string;
  readonly after: string;
}

/** One commit that decides what these decided, in this order. */
export const mergeCommits = (commits: readonly [Commit, ...Commit[]]): Commit =>
  commits.reduce((earlier, later) => ({
    ...emptyParts,
    ...mergeParts(earlier, later),
    cause: later.cause,
    before: earlier.before,
    after: later.after,
  }));

/** A commit as clients see it (L11). */
export interface ShownCommit<TSnapshot> {
  readonly commit: Commit;
  /** The record that holds it; of growth, which is not recorded, the newest record before it. */
  readonly seq: number;
  /**
   * False only while the journal can't be written: then one commit that merges all commits that are not on disk shows
   * that the task is at rest.
   */
  readonly durable: boolean;
  /** The actor's snapshot at the end of the macrostep. */
  readonly snapshot: TSnapshot;
}
