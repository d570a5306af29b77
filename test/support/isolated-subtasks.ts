import { systemClock } from "../../actors/protocol/edge.ts";
import type { Isolation } from "../../adapters/isolation/isolation.ts";
import type { IsolationKind } from "../../ports/subtask-files.ts";
import { openIsolation } from "../../runtime/subtasks/task-isolation.ts";
import { fileJournal } from "../../store/index.ts";
import { taskFolder } from "../../store/task-history/task-folder.ts";
import { git } from "../adapters/isolation/project.ts";
import { type Rig, type RigOptions, resultsOf } from "./host.ts";
import { completes, openSubtaskRig } from "./subtasks.ts";

export const write = (name: string, content: string): string =>
  `{ tool: write_to_file, input: { path: ${name}, content: "${content}" } }`;
export const merge = (id: string, conflicts = "stop"): string =>
  `{ tool: merge_subtask, input: { id: ${id}, conflicts: ${conflicts} } }`;
export const decline = (id: string): string => `{ tool: decline_subtask, input: { id: ${id} } }`;

/** A subtask in the mode that writes one file. */
export const writer = (mode: string, name: string, content: string) => [
  { mode, after: "write_to_file", turn: completes(`${mode} done.`) },
  { mode, turn: write(name, content) },
];

/** Changes `b.txt`. */
export const EDIT =
  '{ tool: apply_diff, input: { path: b.txt, diff: "<<<<<<< SEARCH\\nb\\n=======\\nnew\\n>>>>>>> REPLACE" } }';

/** The files of a rig at first. */
export const START = { "a.txt": "one\n", "b.txt": "b\n" };

interface RepositoryOptions extends Omit<Partial<RigOptions>, "isolation"> {
  /** `none`: the task has no such option. */
  readonly isolation?: IsolationKind | "none";
}

/** A rig in a git repository whose files are committed. */
export async function openRepository(
  script: string,
  { isolation = "worktree", ...options }: RepositoryOptions = {},
): Promise<Rig> {
  const kind = isolation === "none" ? {} : { isolation };
  const rig = await openSubtaskRig(script, { id: "root", ...kind, files: START, ...options });
  git(rig.dir, "init", "--quiet");
  git(rig.dir, "add", "--all");
  git(rig.dir, "commit", "--quiet", "--message", "Start");
  return rig;
}

export const isolationOf = ({ dataDir }: Rig): Isolation =>
  openIsolation({
    dataDir,
    clock: systemClock,
    journal: (id) => fileJournal({ dir: taskFolder(dataDir, id) }),
  });
/** The results of all calls of the root task, oldest first. */
export const results = (rig: Rig): readonly string[] =>
  rig.task.snapshot.context.conversation.toArray().flatMap((entry) => resultsOf([entry]));
export const worktreesOf = (rig: Rig): string => git(rig.dir, "worktree", "list", "--porcelain");
