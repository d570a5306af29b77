import { Buffer } from "node:buffer";
import { spawn } from "node:child_process";
import { devNull } from "node:os";
import { systemCode } from "../../store/files/index.ts";
import { Refusal } from "./refused.ts";

/** What every call of git is told on its command line, whatever the repository's own file says. */
const SETTINGS = [
  // Nothing of the user's may run or be read: no hooks, no monitors, no rules and filters from elsewhere.
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
  // Bytes stay bytes.
  "core.autocrlf=false",
  "core.safecrlf=false",
  "core.quotePath=false",
  "core.bare=false",
].flatMap((setting) => ["-c", setting]);

export interface GitCall {
  /** The index file: each checkpoint has its own, so that two at once never meet at a lock. */
  readonly index?: string;
  /** The folder of the files. */
  readonly workTree: string;
  /** What it reads, one letter a byte. */
  readonly input?: string;
  /** Exit codes besides 0 that are an answer. */
  readonly answers?: readonly number[];
  /** Asked with each piece of output: true ends git, and what came is the result. */
  readonly enough?: (piece: Buffer) => boolean;
  readonly signal?: AbortSignal;
}

export interface GitOutput {
  /** One letter a byte. */
  readonly out: string;
  readonly err: string;
  readonly code: number;
}

/** Git itself, on a repository of ours: it knows nothing of the user's settings, environment and repositories. */
export class Git {
  readonly #dir: string;
  readonly #env: NodeJS.ProcessEnv;

  /** @param dir the repository's own folder. Git's home is there too, so that it finds no other settings. */
  constructor(dir: string, env: NodeJS.ProcessEnv) {
    this.#dir = dir;
    const foreign = Object.entries(env).filter(([name]) => !/^(GIT_|XDG_CONFIG)/i.test(name));
    this.#env = {
      ...Object.fromEntries(foreign),
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

  /** @throws Refusal `git`, or `disk` where it can't be started; what the signal was aborted with */
  run(args: readonly string[], call: GitCall): Promise<GitOutput> {
    return new Promise((resolve, reject) => {
      call.signal?.throwIfAborted();
      const child = spawn("git", [...SETTINGS, ...args], {
        cwd: call.workTree,
        env: {
          ...this.#env,
          GIT_WORK_TREE: call.workTree,
          ...(call.index !== undefined && { GIT_INDEX_FILE: call.index }),
        },
        stdio: ["pipe", "pipe", "pipe"],
        windowsHide: true,
      });
      const stop = (): void => void child.kill("SIGKILL");
      call.signal?.addEventListener("abort", stop, { once: true });
      const out: Buffer[] = [];
      const err: Buffer[] = [];
      let isEnough = false;
      child.stdout.on("data", (piece: Buffer) => {
        if (isEnough) return;
        out.push(piece);
        isEnough = call.enough?.(piece) === true;
        if (isEnough) stop();
      });
      child.stderr.on("data", (piece: Buffer) => {
        if (err.length < ERROR_PIECES_MAX) err.push(piece);
      });
      // Git that ends early reads no more; its exit code says why.
      child.stdin.on("error", () => {});
      child.on("error", (error) => reject(notStarted(call.workTree, error)));
      child.on("close", (code, signal) => {
        call.signal?.removeEventListener("abort", stop);
        if (call.signal?.aborted === true) return reject(call.signal.reason);
        const text = Buffer.concat(out).toString("latin1");
        if (isEnough || code === 0 || (code !== null && call.answers?.includes(code) === true))
          return resolve({ out: text, err: Buffer.concat(err).toString("latin1"), code: code ?? 0 });
        reject(
          new Refusal("git", `git ${args[0]} failed (${code ?? signal}): ${firstLines(Buffer.concat(err))}`),
        );
      });
      child.stdin.end(call.input ?? "", "latin1");
    });
  }

  /** The version, such as "2.39.5"; undefined if there is no git. */
  async version(): Promise<string | undefined> {
    try {
      const { out } = await this.run(["version"], { workTree: this.#dir });
      return /(\d+\.\d+[.\d]*)/.exec(out)?.[1] ?? "of an unknown number";
    } catch (error) {
      const code = error instanceof Error ? systemCode(error.cause) : "";
      if (code === "ENOENT" || code === "EACCES") return undefined;
      throw error;
    }
  }
}

const notStarted = (workTree: string, cause: Error): Refusal =>
  new Refusal(
    "disk",
    `git could not be started in ${workTree} (${cause.message}). Check that the folder is there, and git.`,
    { cause },
  );

/** How many pieces of what git complains about are kept. */
const ERROR_PIECES_MAX = 50;

const firstLines = (text: Buffer): string =>
  text.toString("utf8").trim().split("\n").slice(0, 3).join(" ").slice(0, 500);
