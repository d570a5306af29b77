import type { Buffer } from "node:buffer";
import { ToolError } from "../../tools/error.ts";
import { type BytePath, parseNul } from "../checkpoints/paths.ts";
import { filterSettings, type GitCall, runGitBytes } from "../repository/git-process.ts";

/** Bytes of a list of paths. */
const LIST_MAX_BYTES = 64_000_000;

/** The author of the commits with uncommitted files. */
const IDENTITY = {
  GIT_AUTHOR_NAME: "signalbox",
  GIT_AUTHOR_EMAIL: "worktrees@localhost",
  GIT_COMMITTER_NAME: "signalbox",
  GIT_COMMITTER_EMAIL: "worktrees@localhost",
};

export interface RepositoryOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  /** The folder of the repository, if git must not look for it. */
  readonly gitDir?: string;
}

/** The settings that only these git processes have: a line break that can't be kept is no error. */
const SETTINGS = ["-c", "core.safecrlf=false"];

type Call = Partial<Pick<GitCall, "exitCodes" | "input" | "maxBytes">> & { readonly index?: string };

/**
 * Git in a working tree that the user owns. It runs no hook and no filter. A call that stages files names an index, so that
 * the user's index stays as it is.
 */
export class Repository {
  readonly folder: string;
  readonly #options: RepositoryOptions;
  #filters: Promise<readonly string[]> | undefined;

  constructor(folder: string, options: RepositoryOptions) {
    this.folder = folder;
    this.#options = options;
  }

  /** The bytes that git writes. @throws ToolError `FAILED`; `TOO_LARGE` for more than the limit */
  async bytes(
    args: readonly string[],
    { index, maxBytes = LIST_MAX_BYTES, ...call }: Call = {},
  ): Promise<Buffer> {
    this.#filters ??= filterSettings(this.#call({ maxBytes }));
    const own = this.#call({ maxBytes });
    const { out, cut } = await runGitBytes([...SETTINGS, ...(await this.#filters), ...args], {
      ...own,
      ...call,
      variables: { ...IDENTITY, ...own.variables, ...(index !== undefined && { GIT_INDEX_FILE: index }) },
    });
    if (cut)
      throw new ToolError(
        "TOO_LARGE",
        `git ${args[0]} wrote more than ${maxBytes} bytes in ${this.folder}: expected fewer. Use git itself there.`,
      );
    return out;
  }

  /** The text that git writes, without the line break at its end. */
  async text(args: readonly string[], call?: Call): Promise<string> {
    return (await this.bytes(args, call)).toString().replace(/\n$/, "");
  }

  /** The items of a NUL-terminated list, one character per byte. */
  async list(args: readonly string[], call?: Call): Promise<readonly BytePath[]> {
    return parseNul((await this.bytes(args, call)).toString("latin1"));
  }

  #call({ maxBytes }: { readonly maxBytes: number }): GitCall {
    const { env, timeoutMs, gitDir } = this.#options;
    const variables: Readonly<Record<string, string>> = gitDir === undefined ? {} : { GIT_DIR: gitDir };
    return { cwd: this.folder, env, maxBytes, variables, signal: AbortSignal.timeout(timeoutMs) };
  }
}

/** The working tree that a folder is in; undefined outside of one, and without git. */
export async function workingTreeOf(
  folder: string,
  options: RepositoryOptions,
): Promise<{ readonly top: string; readonly prefix: string } | undefined> {
  const repository = new Repository(folder, options);
  try {
    const top = await repository.text(["rev-parse", "--show-toplevel"]);
    const prefix = await repository.text(["rev-parse", "--show-prefix"]);
    return top === "" ? undefined : { top, prefix };
  } catch (error) {
    if (error instanceof ToolError && error.code === "FAILED") return undefined;
    throw error;
  }
}
