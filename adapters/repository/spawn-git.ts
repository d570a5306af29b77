import { Buffer } from "node:buffer";
import { spawn } from "node:child_process";

export interface GitProcess {
  readonly cwd: string;
  /** The whole environment. */
  readonly env: NodeJS.ProcessEnv;
  /** Standard input, one character per byte. Default: empty. */
  readonly input?: string | undefined;
  /** Called with each chunk of output: true terminates git, and the output so far is the result. */
  readonly isEnough?: ((chunk: Buffer) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The end of a git process. */
export interface GitEnd {
  readonly out: Buffer;
  /** The start of standard error. */
  readonly err: Buffer;
  /** The exit code, or the signal that terminated git. */
  readonly code: number | NodeJS.Signals | null;
  /** Whether git was terminated since its output was enough. */
  readonly isEnough: boolean;
}

/** Chunks of stderr that are kept. */
const ERROR_CHUNKS_MAX = 50;

/**
 * Start git and wait for its end. All git processes of the engine are started here.
 *
 * @throws the error of the system if git can't be started; the signal's reason
 */
export function spawnGit(args: readonly string[], process: GitProcess): Promise<GitEnd> {
  return new Promise((resolve, reject) => {
    const { cwd, env, signal } = process;
    signal?.throwIfAborted();
    const child = spawn("git", [...args], { cwd, env, stdio: ["pipe", "pipe", "pipe"], windowsHide: true });
    const stop = (): void => void child.kill("SIGKILL");
    signal?.addEventListener("abort", stop, { once: true });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let isEnough = false;
    child.stdout.on("data", (chunk: Buffer) => {
      if (isEnough) return;
      out.push(chunk);
      isEnough = process.isEnough?.(chunk) === true;
      if (isEnough) stop();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      if (err.length < ERROR_CHUNKS_MAX) err.push(chunk);
    });
    // Git may exit before it has read all; its exit code has the reason.
    child.stdin.on("error", () => {});
    child.on("error", reject);
    child.on("close", (code, terminated) => {
      signal?.removeEventListener("abort", stop);
      if (signal?.aborted === true) return reject(signal.reason);
      resolve({ out: Buffer.concat(out), err: Buffer.concat(err), code: code ?? terminated, isEnough });
    });
    child.stdin.end(process.input ?? "", "latin1");
  });
}
