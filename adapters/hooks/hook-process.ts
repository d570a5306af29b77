import { randomUUID } from "node:crypto";
import type { Clock } from "../../ports/clock.ts";
import type { CommandSandbox } from "../sandbox/command-sandbox.ts";
import { OutputEnd } from "../shell/output-end.ts";
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
  /** Default: it runs without a sandbox. */
  readonly sandbox?: CommandSandbox | undefined;
}

export interface HookExit extends Omit<ProcessExit, "left" | "blocked"> {
  /** The text that it wrote to stdout. */
  readonly output: string;
  /** The end of what it wrote to stderr, and what a sandbox kept it from. */
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
  const errors = new OutputEnd(ERROR_BYTES);
  let [size, leader] = [0, 0];
  const {
    left: _,
    blocked,
    ...exit
  } = await runProcess({
    ...{ program: "/bin/sh", command, cwd, env, mark, timeoutMs, killGraceMs, clock, input },
    sandbox: options.sandbox,
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
    onError: (bytes) => errors.add(bytes),
  });
  processTree(leader, mark).signal("SIGKILL");
  return {
    ...exit,
    output: Buffer.concat(out).toString(),
    errors: [errors.text, blocked ?? []].flat().join("\n"),
    isFlooded: size > outputMaxBytes,
  };
}
