import { randomUUID } from "node:crypto";
import type { Clock } from "../../ports/clock.ts";
import { processTree } from "../shell/process-tree.ts";
import { type ProcessExit, runProcess } from "../shell/run-process.ts";

export interface HookProcessOptions {
  readonly command: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Written to stdin. The command need not read it. */
  readonly input: string;
  readonly timeoutMs: number;
  readonly killGraceMs: number;
  readonly outputMaxBytes: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

export interface HookExit extends Omit<ProcessExit, "left"> {
  /** The text that it wrote to stdout. */
  readonly output: string;
  /** The end of what it wrote to stderr. */
  readonly errors: string;
  /** Whether it wrote more than the limit to stdout: then it was terminated. */
  readonly isFlooded: boolean;
}

/** Bytes of stderr that are kept: its end. */
const ERROR_BYTES = 500;
/** Time in which output is read after the exit while other processes hold the pipe, in milliseconds. */
const DRAIN_MS = 200;

/** Run a command with text on stdin, and kill what it has left. @throws ToolError `FAILED` if it can't be started */
export async function runHookProcess(options: HookProcessOptions): Promise<HookExit> {
  const { command, cwd, env, input, timeoutMs, killGraceMs, outputMaxBytes, signal, clock } = options;
  signal.throwIfAborted();
  const flooded = new AbortController();
  const mark = randomUUID();
  const out: Uint8Array[] = [];
  let [size, errors, leader] = [0, Buffer.alloc(0), 0];
  const { left: _, ...exit } = await runProcess({
    ...{ program: "/bin/sh", command, cwd, env, mark, timeoutMs, killGraceMs, clock, input },
    drainMs: DRAIN_MS,
    signal: AbortSignal.any([signal, flooded.signal]),
    trees: new Set(),
    onStart: (pid) => {
      leader = pid;
    },
    onOutput: (bytes) => {
      size += bytes.length;
      if (size > outputMaxBytes) flooded.abort();
      else out.push(bytes);
    },
    onError: (bytes) => {
      errors = Buffer.from(Buffer.concat([errors, bytes]).subarray(-ERROR_BYTES));
    },
  });
  processTree(leader, mark).signal("SIGKILL");
  return {
    ...exit,
    output: Buffer.concat(out).toString(),
    errors: errors.toString(),
    isFlooded: size > outputMaxBytes,
  };
}
