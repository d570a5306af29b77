import { type ChildProcess, spawn } from "node:child_process";
import { type Clock, waitUntil } from "../../actors/protocol/index.ts";
import { sayError, ToolError } from "../../tools/index.ts";
import { COMMAND_MARK, type Tree, treeOf } from "./process-tree.ts";

export interface ProcessOptions {
  readonly command: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** A name that is this command's alone. */
  readonly mark: string;
  readonly timeoutMs: number;
  readonly killGraceMs: number;
  readonly drainMs: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Trees that may still live: this one is among them until it has ended. */
  readonly trees: Set<Tree>;
  readonly chunk: (bytes: Uint8Array) => void;
}

export interface ProcessEnd {
  readonly exitCode?: number;
  readonly signal?: string;
  readonly timedOut: boolean;
  /** Something still holds the output. */
  readonly left: boolean;
}

/** The second shell replaces the first, with one pipe for both streams and the command's text untouched. */
const MERGED = 'exec /bin/sh -c -- "$1" 2>&1';

/** Runs one command line to its end: see `systemShell`. @throws ToolError `failed` where it can't be started */
export function runProcess(options: ProcessOptions): Promise<ProcessEnd> {
  return new Promise((resolve, reject) => {
    const child = start(options);
    child.on("error", (error) => reject(notStarted(error)));
    const { pid, stdout } = child;
    if (pid === undefined || stdout === null) return;
    const tree = treeOf(pid, options.mark);
    options.trees.add(tree);
    const ending = new Ending(options, tree, (end) => {
      stdout.off("data", options.chunk);
      if (end.left) leave(child);
      else options.trees.delete(tree);
      resolve(end);
    });
    stdout.on("data", options.chunk);
    child.on("exit", (code, signal) => ending.exited(code, signal));
    child.on("close", () => {
      options.trees.delete(tree);
      ending.closed();
    });
  });
}

function start({ command, cwd, env, mark }: ProcessOptions): ChildProcess {
  try {
    return spawn("/bin/sh", ["-c", MERGED, "sh", command], {
      cwd,
      env: { ...env, [COMMAND_MARK]: mark },
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch (error) {
    throw notStarted(error);
  }
}

function notStarted(cause: unknown): ToolError {
  return new ToolError("failed", `The command could not be started: ${sayError(cause)}`, { cause });
}

/** What runs on in the background may go on writing: nobody listens, and this process may end without it. */
function leave({ stdout }: ChildProcess): void {
  stdout?.resume();
  if (stdout !== null && "unref" in stdout && typeof stdout.unref === "function") stdout.unref();
}

/** Finds out when a command has ended: by itself, or, once it was stopped, with its whole tree. */
class Ending {
  readonly #options: ProcessOptions;
  readonly #tree: Tree;
  readonly #done: (end: ProcessEnd) => void;
  readonly #cancels: (() => void)[] = [];
  #exit: Omit<ProcessEnd, "timedOut" | "left"> | undefined;
  #isClosed = false;
  #stopped: "aborted" | "out of time" | undefined;
  #isOver = false;

  constructor(options: ProcessOptions, tree: Tree, done: (end: ProcessEnd) => void) {
    this.#options = options;
    this.#tree = tree;
    this.#done = done;
    const { clock, signal, timeoutMs } = options;
    const abort = (): void => this.#stop("aborted");
    signal.addEventListener("abort", abort, { once: true });
    this.#cancels.push(() => signal.removeEventListener("abort", abort));
    this.#cancels.push(waitUntil(clock, clock.now() + timeoutMs, () => this.#stop("out of time")));
    // The signal may have come while the process was started.
    if (signal.aborted) abort();
  }

  exited(code: number | null, signal: NodeJS.Signals | null): void {
    this.#exit = {
      ...(code === null ? {} : { exitCode: code }),
      ...(signal === null ? {} : { signal }),
    };
    if (this.#stopped !== undefined) {
      this.#endIfDead();
    } else {
      // Its time is over when it exits: what holds its output now is something else.
      for (const cancel of this.#cancels.splice(0)) cancel();
      this.#drain();
    }
  }

  closed(): void {
    this.#isClosed = true;
    if (this.#stopped === undefined) this.#end();
    else this.#endIfDead();
  }

  #stop(why: "aborted" | "out of time"): void {
    if (this.#stopped !== undefined || this.#isOver) return;
    this.#stopped = why;
    this.#tree.signal("SIGTERM");
    const { clock, killGraceMs } = this.#options;
    this.#cancels.push(
      clock.after(killGraceMs, () => {
        this.#tree.signal("SIGKILL");
        this.#drain();
      }),
    );
  }

  /** A stopped command is over early if nothing of it is left; else SIGKILL is on its way. */
  #endIfDead(): void {
    if (this.#exit !== undefined && this.#isClosed && !this.#tree.isAlive()) this.#end();
  }

  #drain(): void {
    if (this.#isClosed) this.#end();
    else this.#cancels.push(this.#options.clock.after(this.#options.drainMs, () => this.#end()));
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const cancel of this.#cancels.splice(0)) cancel();
    const left = !this.#isClosed && this.#stopped === undefined;
    this.#done({ ...this.#exit, timedOut: this.#stopped === "out of time", left });
  }
}
