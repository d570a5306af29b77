import type { CheckpointDiff, RestoredCheckpoint } from "../../adapters/checkpoints/checkpoints.ts";
import type { SkippedFile } from "../../adapters/checkpoints/commit.ts";
import { printable } from "../../client/printable/printable.ts";

/** Maximum paths in a list. The diff has them all. */
const LISTED_MAX = 50;
/** Whether the files match the checkpoint. */
export const changesNothing = ({ files }: CheckpointDiff): boolean =>
  files.added.length + files.changed.length + files.removed.length === 0;

/** Lines that say what a restore changes, without its diff. */
export function formatRestore(diff: CheckpointDiff, name: string, workspace: string): readonly string[] {
  const { files, leftAsIs, leftOut } = diff;
  const notes = [
    ...formatExcluded("Unchanged", leftAsIs),
    ...formatExcluded("Not in the checkpoint", leftOut),
  ];
  if (changesNothing(diff)) return [`The files of ${workspace} match ${name}.`, ...notes];
  return [
    `Restoring ${workspace} to ${name}:`,
    ...truncateLines(files.added.map((file) => `  + ${file}`)),
    ...truncateLines(files.changed.map((file) => `  ~ ${file}`)),
    ...truncateLines(files.removed.map((file) => `  - ${file}`)),
    `${count(files.added)} to add (+), ${count(files.changed)} to change (~), ${count(files.removed)} to remove (-).`,
    ...notes,
  ];
}

const count = ({ length }: readonly string[]): string => `${length} ${length === 1 ? "file" : "files"}`;

const formatExcluded = (what: string, left: readonly SkippedFile[]): string[] =>
  truncateLines(left.map(({ path: file, why }) => `${what}: ${file} (${why})`));

function truncateLines(lines: readonly string[]): string[] {
  if (lines.length <= LISTED_MAX) return [...lines];
  return [...lines.slice(0, LISTED_MAX), `  (and ${lines.length - LISTED_MAX} more)`];
}

/** The error of files that could not be restored. */
export const formatFailedRestore = ({ failed }: RestoredCheckpoint): string =>
  printable(
    [
      "some files could not be restored. Check permissions and disk space, then restore again:",
      ...truncateLines(failed.map(({ path: file, why }) => `  ${file}: ${why}`)),
    ].join("\n"),
  );
