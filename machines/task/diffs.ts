import { writeWholeFile } from "../conversation/notices.ts";
import type { Change } from "./change.ts";

/**
 * Counts a diff that could not be applied to `file`. Returns the error for the model and the user: at the limit it advises
 * to write the whole file, and the count starts again.
 */
export function countDiffFailure(change: Change, file: string, error: string): string {
  const { failedDiffs, limits } = change.context;
  if (limits.diffFailures === 0) return error;
  const times = (failedDiffs.find((one) => one.file === file)?.times ?? 0) + 1;
  const others = failedDiffs.filter((one) => one.file !== file);
  if (times >= limits.diffFailures) {
    change.set({ failedDiffs: others });
    return `${error}\n${writeWholeFile(file, times)}`;
  }
  const counted = [...others, { file, times }];
  change.set({ failedDiffs: counted.slice(Math.max(0, counted.length - limits.diffFiles)) });
  return error;
}

/** A diff was applied to `file`, if there is one. */
export function resetDiffFailures(change: Change, file: string | undefined): void {
  const { failedDiffs } = change.context;
  const others = failedDiffs.filter((one) => one.file !== file);
  if (others.length < failedDiffs.length) change.set({ failedDiffs: others });
}
