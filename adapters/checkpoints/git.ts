import type { Buffer } from "node:buffer";
import { devNull } from "node:os";
import { systemCode } from "../../store/files/system-code.ts";
import { messageOf } from "../../tools/error.ts";
import { spawnGit } from "../repository/spawn-git.ts";
import { CheckpointError } from "./error.ts";

/** Settings on the command line, which take precedence over the repository's file. */
const SETTINGS = [
  // No hooks, monitors, ignore rules or filters of the user.
  `core.hooksPath=${devNull}`,
  `core.excludesFile=${devNull}`,
  `core.attributesFile=${devNull}`,
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.splitIndex=false",
  "core.sparseCheckout=false",
  "core.logAllRefUpdates=false",
  "commit.gpgSign=false",
  "gc.auto=0",
  "maintenance.auto=false",
  // No conversion of bytes.
  "core.autocrlf=false",
  "core.safecrlf=false",
  "core.quotePath=false",
  "core.bare=false",
].flatMap((setting) => ["-c", setting]);

export interface GitCall {
  /** The index file. Each operation has its own, so that concurrent ones need no lock. */
  readonly index?: string;
  readonly workTree: string;
  /** Standard input, one character per byte. */
  readonly input?: string;
  /** Exit codes besides 0 that are not a failure. */
  readonly exitCodes?: readonly number[];
  /** Called with each chunk of output: true terminates git, and the output so far is the result. */
  readonly isEnough?: (chunk: Buffer) => boolean;
  readonly signal?: AbortSignal;
}

export interface GitOutput {
  /** One character per byte. */
  readonly out: string;
  readonly err: string;
  readonly code: number;
}

/** Git on one repository, isolated from the user's settings, environment and repositories. */
export class Git {
  readonly #dir: string;
  readonly #env: NodeJS.ProcessEnv;

  /** @param dir the repository's folder; also git's home, so that it finds no other settings */
  constructor(dir: string, env: NodeJS.ProcessEnv) {
    this.#dir = dir;
    const inherited = Object.entries(env).filter(([name]) => !/^(GIT_|XDG_CONFIG)/i.test(name));
    this.#env = {
      ...Object.fromEntries(inherited),
      HOME: dir,
      XDG_CONFIG_HOME: dir,
      LC_ALL: "C",
      GIT_DIR: dir,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: devNull,
      GIT_ATTR_NOSYSTEM: "1",
      GIT_TERMINAL_PROMPT: "0",
      GIT_AUTHOR_NAME: "signalbox",
      GIT_AUTHOR_EMAIL: "checkpoints@localhost",
      GIT_COMMITTER_NAME: "signalbox",
      GIT_COMMITTER_EMAIL: "checkpoints@localhost",
    };
  }

  /** @throws CheckpointError `git`, or `disk` if git can't be started; the signal's reason */
  async run(args: readonly string[], call: GitCall): Promise<GitOutput> {
    const { out, err, code, isEnough } = await spawnGit([...SETTINGS, ...args], {
      cwd: call.workTree,
      env: {
        ...this.#env,
        GIT_WORK_TREE: call.workTree,
        ...(call.index !== undefined && { GIT_INDEX_FILE: call.index }),
      },
      input: call.input,
      isEnough: call.isEnough,
      signal: call.signal,
    }).catch((cause: unknown) => {
      call.signal?.throwIfAborted();
      throw notStarted(call.workTree, cause);
    });
    const isExpected = code === 0 || (typeof code === "number" && call.exitCodes?.includes(code) === true);
    if (isEnough || isExpected)
      return {
        out: out.toString("latin1"),
        err: err.toString("latin1"),
        code: typeof code === "number" ? code : 0,
      };
    const lines = err.toString().trim().split("\n").slice(0, 3).join(" ").slice(0, 500);
    throw new CheckpointError("git", `git ${args[0]} failed (${code}): ${lines}`);
  }

  /** Version such as "2.39.5"; undefined if git is not installed. */
  async version(): Promise<string | undefined> {
    try {
      const { out } = await this.run(["version"], { workTree: this.#dir });
      return /(\d+\.\d+[.\d]*)/.exec(out)?.[1] ?? "of unknown version";
    } catch (error) {
      const code = error instanceof Error ? systemCode(error.cause) : "";
      if (code === "ENOENT" || code === "EACCES") return undefined;
      throw error;
    }
  }
}

const notStarted = (workTree: string, cause: unknown): CheckpointError =>
  new CheckpointError(
    "disk",
    `git could not be started in ${workTree} (${messageOf(cause)}). Check that the folder exists and git is installed.`,
    { cause },
  );
