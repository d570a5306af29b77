import path from "node:path";
import { checkpointsRoot, tasksFolder, worktreesRoot } from "../../store/files/data-folder.ts";
import { type BytePath, toBytePath } from "./paths.ts";

/** The folders of a data folder that are in a workspace. No checkpoint, worktree or copy of the workspace has their files. */
export const dataFoldersIn = (workspace: string, dataDir: string): readonly BytePath[] =>
  [tasksFolder, checkpointsRoot, worktreesRoot].flatMap((folder) =>
    relativeInside(workspace, folder(dataDir)),
  );

function relativeInside(workspace: string, folder: string): BytePath[] {
  const relative = path.relative(workspace, folder);
  const isOutside = relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
  return isOutside ? [] : [toBytePath(relative.split(path.sep).join("/"))];
}

/** Whether a file is one of some folders, or is in one. */
export const isInOneOf = (folders: readonly BytePath[], file: BytePath): boolean =>
  folders.some((folder) => file === folder || file.startsWith(`${folder}/`));
