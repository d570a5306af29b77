import type { GitHead } from "../../machines/tool-call/file-write.ts";
import { runGit } from "./git-process.ts";

export interface GitHeadOptions {
  /** The environment of git. Default: the environment of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /** Time after which git is terminated, in milliseconds. Default 5,000. */
  readonly timeoutMs?: number;
}

const MAX_BYTES = 10_000;

/** The commit and the branch that are checked out in a folder. Undefined outside a repository, and without git. */
export async function gitHead(
  cwd: string,
  { env = process.env, timeoutMs = 5_000 }: GitHeadOptions = {},
): Promise<GitHead | undefined> {
  const call = { cwd, env, maxBytes: MAX_BYTES, signal: AbortSignal.timeout(timeoutMs), exitCodes: [1] };
  const line = async (...args: readonly string[]): Promise<string | null> =>
    (await runGit(args, call)).out.trim() || null;
  try {
    const [revision, branch] = await Promise.all([
      line("rev-parse", "--verify", "--quiet", "HEAD"),
      line("symbolic-ref", "--quiet", "--short", "HEAD"),
    ]);
    return { revision, branch };
  } catch {
    // No repository, no git, or one that hangs: the write is recorded without it.
    return undefined;
  }
}
