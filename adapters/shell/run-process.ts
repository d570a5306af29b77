// cspell:words SHLVL
import type { ChildProcess } from "node:child_process";
import { waitUntil } from "../../actors/protocol/wait-until.ts";
import type { Clock } from "../../ports/clock.ts";
import { isPosixShell } from "../../tools/command-line/programs.ts";
import { formatError, ToolError } from "../../tools/error.ts";
import type { CommandSandbox } from "../sandbox/command-sandbox.ts";
import type { ProgramCall } from "../sandbox/entered-program.ts";
import { OutputEnd } from "./output-end.ts";
import { type ProcessTree, processTree } from "./process-tree.ts";
import { prepareProcess, type ReadyProcess, type Streams, startUntilEntered } from "./start-process.ts";

export interface ProcessOptions {
  /** Path of the shell. */
  readonly program: string;
  readonly command: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Unique id of the command. */
  readonly mark: string;
  readonly timeoutMs: number;
  readonly killGraceMs: number;
  readonly drainMs: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** The process trees that may be alive. The tree of this command is in it until all its processes have ended. */
  readonly trees: Set<ProcessTree>;
  readonly onOutput: (bytes: Uint8Array) => void;
  /** Gets what is written to stderr. Default: `onOutput`, in the order of writing. */
  readonly onError?: (bytes: Uint8Array) => void;
  /** Written to stdin, whether it is read or not. Default: stdin is empty. */
  readonly input?: string;
  readonly onStart: (pid: number) => void;
  /** Default: it runs without a sandbox. */
  readonly sandbox?: CommandSandbox | undefined;
}

export interface ProcessExit {
  readonly exitCode?: number;
  readonly signal?: string;
  readonly timedOut: boolean;
  /** The processes that it left behind, whether they hold the output or not. Absent: none. */
  readonly left?: ProcessTree;
  /** A note on what the sandbox kept it from. Absent: nothing that is known. */
  readonly blocked?: string;
}

/** The second shell replaces the first; both streams share one pipe, and the command needs no quoting. */
const MERGED = 'exec "$1" -c -- "$2" 2>&1';
/** In other shells the command is the argument of the option. */
const MERGED_ELSEWHERE = 'exec "$1" -c "$2" 2>&1';
/** Bash reads `~/.bashrc` where its input is a socket, as a hook's is, unless it is started within a shell. */
const NESTED = { SHLVL: "1" };
const SEPARATE = 'exec "$1" -c -- "$2"';
const SEPARATE_ELSEWHERE = 'exec "$1" -c "$2"';

/** Bytes of the end of its output in which errors of a sandbox are looked for. */
const ERRORS_BYTES = 16_000;

/**
 * Runs one command line: see `systemShell`. If its sandbox can't start, as what is hidden from it has changed, it is prepared
 * and started again.
 *
 * @throws ToolError `FAILED` if it can't be started; SandboxError
 */
export const runProcess = (options: ProcessOptions): Promise<ProcessExit> =>
  startUntilEntered(() => runOnce(options), notStarted);

/** Undefined: its sandbox must be prepared again. */
async function runOnce(options: ProcessOptions): Promise<ProcessExit | undefined> {
  const ready = await prepareProcess(callOf(options), options.mark, options.sandbox);
  const end = new OutputEnd(ERRORS_BYTES);
  let blocked: string | undefined;
  let exit: ProcessExit;
  let isOutdated = false;
  try {
    exit = await run(ready, options.sandbox === undefined ? options : addingTo(end, options));
    // One that was stopped has a signal.
    isOutdated = exit.exitCode !== undefined && !exit.timedOut && ready.isOutdated();
  } finally {
    blocked = await ready.leave(end.text);
  }
  if (isOutdated) return undefined;
  return blocked === undefined ? exit : { ...exit, blocked };
}

/** The options with which both outputs are also added to `end`. */
function addingTo(end: OutputEnd, options: ProcessOptions): ProcessOptions {
  const adding = (next: (bytes: Uint8Array) => void) => (bytes: Uint8Array) => {
    end.add(bytes);
    next(bytes);
  };
  const { onOutput, onError } = options;
  return {
    ...options,
    onOutput: adding(onOutput),
    ...(onError !== undefined && { onError: adding(onError) }),
  };
}

function run(ready: ReadyProcess, options: ProcessOptions): Promise<ProcessExit> {
  return new Promise((resolve, reject) => {
    const child = start(ready, options);
    child.on("error", (error) => reject(notStarted(error)));
    const { pid, stdout, stderr, stdin } = child;
    if (pid === undefined || stdout === null) return;
    const tree = processTree(pid, options.mark);
    options.trees.add(tree);
    options.onStart(pid);
    const run = new ProcessRun(options, tree, (exit) => {
      stdout.off("data", options.onOutput);
      if (exit.left === undefined) options.trees.delete(tree);
      else detachOutput(child);
      forgetDead(options.trees);
      resolve(exit);
    });
    stdout.on("data", options.onOutput);
    if (options.onError !== undefined) stderr?.on("data", options.onError);
    // The command may end, or close its input, before it has read it.
    stdin?.on("error", () => undefined);
    stdin?.end(options.input);
    child.on("exit", (code, signal) => {
      if (ready.leavesProcesses) tree.signal("SIGKILL");
      run.exited(code, signal);
    });
    child.on("close", () => run.closed());
  });
}

/** Processes that commands left behind may have ended since. */
function forgetDead(trees: Set<ProcessTree>): void {
  for (const tree of trees) if (!tree.isAlive()) trees.delete(tree);
}

function callOf({ program, command, cwd, env, onError }: ProcessOptions): ProgramCall {
  const [posix, elsewhere] =
    onError === undefined ? [MERGED, MERGED_ELSEWHERE] : [SEPARATE, SEPARATE_ELSEWHERE];
  const script = isPosixShell(program) ? posix : elsewhere;
  return {
    program: "/bin/sh",
    args: ["-c", script, "sh", program, command],
    cwd,
    env: { ...NESTED, ...env },
  };
}

function start(ready: ReadyProcess, { onError, input }: ProcessOptions): ChildProcess {
  const streams: Streams = [
    input === undefined ? "ignore" : "pipe",
    "pipe",
    onError === undefined ? "ignore" : "pipe",
  ];
  try {
    return ready.start(streams);
  } catch (error) {
    throw notStarted(error);
  }
}

function notStarted(cause: unknown): ToolError {
  return new ToolError("FAILED", `The command could not be started: ${formatError(cause)}`, { cause });
}

/** A background process may continue to write. Its output is discarded, and this process may exit before it. */
function detachOutput({ stdout, stderr }: ChildProcess): void {
  for (const stream of [stdout, stderr]) {
    stream?.resume();
    if (stream !== null && "unref" in stream && typeof stream.unref === "function") stream.unref();
  }
}

/** A running command. It ends by itself, or, after an abort or a timeout, with its whole process tree. */
class ProcessRun {
  readonly #options: ProcessOptions;
  readonly #tree: ProcessTree;
  readonly #onEnd: (exit: ProcessExit) => void;
  readonly #cancels: (() => void)[] = [];
  #exit: Pick<ProcessExit, "exitCode" | "signal"> | undefined;
  #isClosed = false;
  #stopped: "aborted" | "timed out" | undefined;
  #hasEnded = false;

  constructor(options: ProcessOptions, tree: ProcessTree, onEnd: (exit: ProcessExit) => void) {
    this.#options = options;
    this.#tree = tree;
    this.#onEnd = onEnd;
    const { clock, signal, timeoutMs } = options;
    const abort = (): void => this.#stop("aborted");
    signal.addEventListener("abort", abort, { once: true });
    this.#cancels.push(() => signal.removeEventListener("abort", abort));
    this.#cancels.push(waitUntil(clock, clock.now() + timeoutMs, () => this.#stop("timed out")));
    // The signal may have been aborted while the process was started.
    if (signal.aborted) abort();
  }

  exited(code: number | null, signal: NodeJS.Signals | null): void {
    this.#exit = { ...(code !== null && { exitCode: code }), ...(signal !== null && { signal }) };
    if (this.#stopped !== undefined) {
      this.#endIfDead();
      return;
    }
    // The timeout is for the command, not for other processes that hold its output.
    for (const cancel of this.#cancels.splice(0)) cancel();
    this.#drain();
  }

  closed(): void {
    this.#isClosed = true;
    // Processes without the output may be about to end, too: the drain waits for them.
    if (this.#stopped !== undefined || !this.#tree.isAlive()) this.#endIfDead();
  }

  #stop(why: "aborted" | "timed out"): void {
    if (this.#stopped !== undefined || this.#hasEnded) return;
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

  /** A stopped command ends early if all its processes have; otherwise SIGKILL follows. */
  #endIfDead(): void {
    if (this.#exit !== undefined && this.#isClosed && !this.#tree.isAlive()) this.#end();
  }

  #drain(): void {
    if (this.#isClosed) this.#end();
    else this.#cancels.push(this.#options.clock.after(this.#options.drainMs, () => this.#end()));
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const cancel of this.#cancels.splice(0)) cancel();
    const isLeft = this.#stopped === undefined && (!this.#isClosed || this.#tree.isAlive());
    this.#onEnd({
      ...this.#exit,
      timedOut: this.#stopped === "timed out",
      ...(isLeft && { left: this.#tree }),
    });
  }
}
