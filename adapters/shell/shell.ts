import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import path from "node:path";
import { type Clock, systemClock } from "../../actors/protocol/index.ts";
import { type Shell, ToolError } from "../../tools/index.ts";
import { withoutSecrets } from "./environment.ts";
import { keepOutput } from "./kept-output.ts";
import type { Tree } from "./process-tree.ts";
import { runProcess } from "./run-process.ts";

export interface ShellOptions {
  readonly clock?: Clock;
  /** The folder for outputs that are too long to hold; without it only head and tail remain. */
  readonly artifacts?: string;
  /** The most bytes of output that are held, and given back. Default 100 KB. */
  readonly maxOutputBytes?: number;
  /** The most bytes of a kept output. Default 50 MB. */
  readonly maxWholeBytes?: number;
  /** How long after SIGTERM the tree gets SIGKILL. Default 2 s. */
  readonly killGraceMs?: number;
  /** How long output is still read once the command has exited and others hold its pipe. Default 200 ms. */
  readonly drainMs?: number;
  /** The variables to start from. Default those of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /** Variables that are given to commands although their names look secret, such as `GITHUB_TOKEN`. */
  readonly keepEnv?: readonly string[];
}

/** A shell that can end what its commands left behind. */
export interface SystemShell extends Shell {
  /** Kills every process of its commands that still lives, also in the background. */
  close(): void;
}

/**
 * Runs command lines by `/bin/sh -c`, each in a process group of its own, without input and without secrets
 * in its environment. stdout and stderr share one pipe, so their order is the order of writing. A command
 * ends when its shell exits; what it left in the background lives on until `close()`. A command that is
 * aborted or out of time ends when its whole tree has: SIGTERM, and SIGKILL after `killGraceMs`. Output is
 * bounded (L14).
 */
export function systemShell(options: ShellOptions = {}): SystemShell {
  const env = withoutSecrets(options.env ?? process.env, options.keepEnv ?? []);
  const trees = new Set<Tree>();
  return {
    async run({ command, cwd, timeoutMs, signal, output }) {
      await refuseMissing(cwd);
      if (signal.aborted) return { output: "", signal: "SIGTERM", timedOut: false };
      const mark = randomUUID();
      const kept = keepOutput({
        maxBytes: options.maxOutputBytes ?? 100_000,
        maxFileBytes: options.maxWholeBytes ?? 50_000_000,
        ...(options.artifacts === undefined ? {} : { file: path.join(options.artifacts, `${mark}.log`) }),
      });
      const decoder = new TextDecoder();
      const exit = await runProcess({
        ...{ command, cwd, env, mark, timeoutMs, signal, trees },
        clock: options.clock ?? systemClock,
        killGraceMs: options.killGraceMs ?? 2_000,
        drainMs: options.drainMs ?? 200,
        chunk(bytes) {
          kept.add(bytes);
          const text = decoder.decode(bytes, { stream: true });
          if (text !== "") output(text);
        },
      });
      const rest = decoder.decode();
      if (rest !== "") output(rest);
      const { left, ...end } = exit;
      const whole = kept.end();
      return left ? { ...whole, ...end, output: `${whole.output}${LEFT_NOTE}` } : { ...whole, ...end };
    },
    close() {
      for (const tree of trees) tree.signal("SIGKILL");
      trees.clear();
    },
  };
}

const LEFT_NOTE = "\n[A process of this command runs on in the background; what it writes is not shown.]";

async function refuseMissing(cwd: string): Promise<void> {
  const found = await stat(cwd).catch(() => undefined);
  if (found?.isDirectory() === true) return;
  throw new ToolError("not_found", `Working directory '${cwd}' does not exist. Name a folder that does.`);
}
