import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import path from "node:path";
import { systemClock } from "../../actors/protocol/edge.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LeftProcess, Shell } from "../../ports/shell.ts";
import { ToolError } from "../../tools/error.ts";
import { TerminalText } from "../../tools/terminal-text.ts";
import type { CommandSandbox } from "../sandbox/command-sandbox.ts";
import { isExecutable } from "./executable-file.ts";
import { createOutputBuffer } from "./output-buffer.ts";
import type { ProcessTree } from "./process-tree.ts";
import { runProcess } from "./run-process.ts";

export interface ShellOptions {
  readonly clock?: Clock;
  /**
   * Absolute path of the program that interprets command lines; it must take one after `-c`. Policies ask about every
   * command line of a program that is not a POSIX shell. Default `/bin/sh`.
   */
  readonly program?: string;
  /** Folder for outputs that exceed `maxOutputBytes`. Default: none, only head and tail are kept. */
  readonly artifacts?: string;
  /** Bytes of output in memory and in the result. Default 100 KB. */
  readonly maxOutputBytes?: number;
  /** Bytes of a file in `artifacts`. Default 50 MB. */
  readonly maxWholeBytes?: number;
  /** Milliseconds between SIGTERM and SIGKILL. Default 2,000. */
  readonly killGraceMs?: number;
  /** Milliseconds for which output is read after the exit while other processes hold the pipe. Default 200. */
  readonly drainMs?: number;
  /** Environment variables. Default: the variables of this process when a command starts. */
  readonly env?: NodeJS.ProcessEnv;
  /** Variables that commands get although their names look secret, such as `GITHUB_TOKEN`. */
  readonly keepEnv?: readonly string[];
  /** More variables that commands don't get, such as one with an API key. */
  readonly withheldEnv?: readonly string[];
  /** Runs each command. A note in its output says what it was kept from. Default: commands run without a sandbox. */
  readonly sandbox?: CommandSandbox;
}

/** A shell that can terminate the background processes of its commands. */
export interface SystemShell extends Shell {
  /** Kills all processes of its commands, also in the background. */
  close(): void;
}

/**
 * Runs command lines by `/bin/sh -c`, or by another shell, each in its own process group, without input and without secrets
 * in its environment. stdout and stderr share one pipe, so their order is the order of writing. The output is what a terminal
 * shows: without control sequences and overwritten lines. A command ends when its shell
 * exits; the processes that it leaves behind are named in its result and run until `close()`. A command that is aborted or times out ends when its whole process
 * tree has: SIGTERM, then SIGKILL after `killGraceMs`. Output is limited (L14).
 */
export function systemShell(options: ShellOptions = {}): SystemShell {
  const trees = new Set<ProcessTree>();
  const { program = "/bin/sh" } = options;
  return {
    program,
    async run({ command, cwd, timeoutMs, signal, output, started = () => {} }) {
      await assertFolder(cwd);
      await assertProgram(program);
      if (signal.aborted) return { output: "", signal: "SIGTERM", timedOut: false };
      const mark = randomUUID();
      const { artifacts, maxOutputBytes = 100_000, maxWholeBytes = 50_000_000 } = options;
      const env = withoutSecrets(options.env ?? process.env, options);
      const file = artifacts === undefined ? undefined : path.join(artifacts, `${mark}.log`);
      const buffer = createOutputBuffer({ maxBytes: maxOutputBytes, maxFileBytes: maxWholeBytes, file });
      const decoder = new TextDecoder();
      // The output as a person sees it while it comes, and the text for the model, without rows that were overwritten.
      const [live, whole] = [new TerminalText(), new TerminalText(KEPT_ROWS)];
      const show = (shown: string): void => {
        if (shown !== "") output(shown);
      };
      const keep = (kept: string): void => {
        if (kept !== "") buffer.add(Buffer.from(kept));
      };
      const { left, blocked, ...exit } = await runProcess({
        ...{ program, command, cwd, env, mark, timeoutMs, signal, trees },
        sandbox: options.sandbox,
        clock: options.clock ?? systemClock,
        killGraceMs: options.killGraceMs ?? 2_000,
        drainMs: options.drainMs ?? 200,
        onStart: started,
        onOutput(bytes) {
          const text = decoder.decode(bytes, { stream: true });
          show(live.add(text));
          keep(whole.add(text));
        },
      });
      const rest = decoder.decode() + (blocked === undefined ? "" : `\n${blocked}`);
      show(live.add(rest) + live.end());
      keep(whole.add(rest) + whole.end());
      const result = buffer.end();
      if (left === undefined) return { ...result, ...exit };
      const noted = { ...result, output: `${result.output}${LEFT_NOTE}` };
      return { ...noted, ...exit, leavesProcess: true, left: leftProcess(left, options) };
    },
    close() {
      for (const tree of trees) tree.signal("SIGKILL");
      trees.clear();
    },
  };
}

/** Rows of an output that a cursor may return to. */
const KEPT_ROWS = 100;

const LEFT_NOTE =
  "\n[A process of this command is still running in the background; its output is not shown. It ends with the task.]";

const leftProcess = (
  tree: ProcessTree,
  { clock = systemClock, killGraceMs = 2_000 }: ShellOptions,
): LeftProcess => ({
  isAlive: () => tree.isAlive(),
  stop() {
    tree.signal("SIGTERM");
    clock.after(killGraceMs, () => tree.signal("SIGKILL"));
  },
});

/** Names of variables with secrets: the model reads what a command prints. */
const SECRET = /(^|_)(API_?KEY|TOKEN|SECRET|SECRET_KEY|ACCESS_KEY|PRIVATE_KEY|PASSWORD|PASSWD|CREDENTIALS)$/i;

/** The variables of an environment that commands don't get. */
export const secretNames = (
  env: NodeJS.ProcessEnv,
  { keepEnv = [], withheldEnv = [] }: Pick<ShellOptions, "keepEnv" | "withheldEnv">,
): readonly string[] =>
  Object.keys(env).filter(
    (name) => withheldEnv.includes(name) || (SECRET.test(name) && !keepEnv.includes(name)),
  );

/** The environment that commands get. */
export function withoutSecrets(
  env: NodeJS.ProcessEnv,
  options: Pick<ShellOptions, "keepEnv" | "withheldEnv">,
): NodeJS.ProcessEnv {
  const secrets = new Set(secretNames(env, options));
  return Object.fromEntries(Object.entries(env).filter(([name]) => !secrets.has(name)));
}

async function assertProgram(program: string): Promise<void> {
  if (path.isAbsolute(program) && (await isExecutable(program))) return;
  throw new ToolError(
    "NOT_FOUND",
    `The shell '${program}' can't be run: expected the absolute path of an executable file. Correct the option that names it.`,
  );
}

async function assertFolder(cwd: string): Promise<void> {
  const found = await stat(cwd).catch(() => undefined);
  if (found?.isDirectory() === true) return;
  throw new ToolError("NOT_FOUND", `Working directory '${cwd}' does not exist. Name a folder that does.`);
}
