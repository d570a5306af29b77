import path from "node:path";
import { contains, realPath } from "./sandbox/accesses.ts";

/**
 * An environment whose `PATH` has no folder of a workspace: a command may have put a program there, which must not run outside of
 * its sandbox.
 */
export function withoutOwnPrograms(env: NodeJS.ProcessEnv, workspace: string): NodeJS.ProcessEnv {
  const { PATH } = env;
  if (PATH === undefined) return env;
  const root = realPath(workspace);
  const isOutside = (folder: string): boolean => path.isAbsolute(folder) && !contains(root, realPath(folder));
  return { ...env, PATH: PATH.split(path.delimiter).filter(isOutside).join(path.delimiter) };
}
