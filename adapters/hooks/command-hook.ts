import { systemClock } from "../../actors/protocol/edge.ts";
import type { Clock } from "../../ports/clock.ts";
import { ToolError } from "../../tools/error.ts";
import { type Hook, type HookDecision, type HookInput, type HookScope, methodsAt } from "../../tools/hook.ts";
import { parseHookDecision } from "../../tools/hook-decision.ts";
import { terminalText } from "../../tools/terminal-text.ts";
import { sandboxOptions } from "../isolation/sandbox-options.ts";
import { CommandSandbox } from "../sandbox/command-sandbox.ts";
import type { SandboxOptions } from "../sandbox/options.ts";
import { withoutSecrets } from "../shell/shell.ts";
import { type HookExit, runHookProcess } from "./hook-process.ts";

/** Options of a hook that is a command. */
export interface CommandHookOptions extends Pick<Hook, "name" | "tools" | "keepOriginal"> {
  /** The points at which it runs. */
  readonly points: readonly HookInput["point"][];
  /** Command line for `/bin/sh -c`. */
  readonly command: string;
  /** Time in which it must exit, in milliseconds: then it is terminated. Default 60,000. */
  readonly timeoutMs?: number;
  /** Folder that it starts in. Default: the workspace. */
  readonly cwd?: string;
  /** Its environment, without its secrets. Default: the environment of this process when it starts. */
  readonly env?: NodeJS.ProcessEnv;
  /** Variables that it gets although their names look secret, such as `GITHUB_TOKEN`. */
  readonly keepEnv?: readonly string[];
  /** More variables that it doesn't get. */
  readonly withheldEnv?: readonly string[];
  /** Bytes of its output. More is an error. Default 1,000,000. */
  readonly outputMaxBytes?: number;
  /** Milliseconds between SIGTERM and SIGKILL. Default 1,000. */
  readonly killGraceMs?: number;
  /** Run it in a sandbox, with the workspace as the folder that it may write. Default: it runs without one. */
  readonly sandbox?: SandboxOptions;
  readonly clock?: Clock;
}

/** Time for the end of a process that is killed, in milliseconds. */
const END_MS = 5_000;

/**
 * A hook that is a command: it reads its input as one line of JSON on stdin, and writes its decision as JSON to stdout.
 * No output allows. An exit code other than 0, other output and a timeout deny. Its processes end with it.
 *
 * @example
 * ```ts
 * import { commandHook } from "signalbox/adapters";
 * const lint = commandHook({ name: "lint", points: ["afterWrite"], command: "./check-style.sh" });
 * ```
 */
export function commandHook(options: CommandHookOptions): Hook {
  const { name, points, tools, keepOriginal, timeoutMs = 60_000, killGraceMs = 1_000 } = options;
  return {
    name,
    ...(tools !== undefined && { tools }),
    ...(keepOriginal !== undefined && { keepOriginal }),
    // The command is terminated before: the error then has what it wrote.
    timeoutMs: timeoutMs + killGraceMs + END_MS,
    ...methodsAt(points, (input, scope) => decide({ ...options, timeoutMs, killGraceMs }, input, scope)),
  };
}

async function decide(
  options: CommandHookOptions & { readonly timeoutMs: number; readonly killGraceMs: number },
  input: HookInput,
  { signal, dataDir }: HookScope,
): Promise<HookDecision | undefined> {
  const { command, timeoutMs, killGraceMs, outputMaxBytes = 1_000_000, sandbox } = options;
  const exit = await runHookProcess({
    command,
    cwd: options.cwd ?? input.workspace,
    env: withoutSecrets(options.env ?? process.env, options),
    input: `${JSON.stringify(input)}\n`,
    timeoutMs,
    killGraceMs,
    outputMaxBytes,
    signal,
    clock: options.clock ?? systemClock,
    ...(sandbox !== undefined && { sandbox: openSandbox(sandbox, input, dataDir) }),
  });
  const error = errorOf(exit, timeoutMs, outputMaxBytes);
  if (error !== undefined) throw failure(command, error, exit);
  if (exit.output.trim() === "") return undefined;
  try {
    return parseHookDecision(JSON.parse(exit.output));
  } catch (cause) {
    const why =
      cause instanceof ToolError ? cause.message : "expected a decision as JSON, received other output.";
    throw failure(command, why, exit, cause);
  }
}

/** The sandbox of one run. Outside of a host no task has other files than its workspace. */
const openSandbox = (
  sandbox: SandboxOptions,
  { workspace }: HookInput,
  dataDir: string | undefined,
): CommandSandbox =>
  new CommandSandbox(
    dataDir === undefined ? sandbox : sandboxOptions(sandbox, { dataDir, workspace }),
    workspace,
  );

function errorOf(
  { exitCode, signal, timedOut, isFlooded }: HookExit,
  timeoutMs: number,
  outputMaxBytes: number,
): string | undefined {
  if (isFlooded) return `expected at most ${outputMaxBytes} bytes of output, received more.`;
  if (timedOut) return `expected its end within ${timeoutMs} ms; it was terminated.`;
  return exitCode === 0 ? undefined : `expected the exit code 0, received ${exitCode ?? signal ?? "none"}.`;
}

/** Characters of a command line in an error. */
const COMMAND_CHARS = 200;

function failure(command: string, why: string, { errors }: HookExit, cause?: unknown): ToolError {
  const said = terminalText(errors).trim();
  const end = said === "" ? "" : ` Its last errors: ${said}`;
  return new ToolError("HOOK_INVALID", `the command \`${command.slice(0, COMMAND_CHARS)}\`: ${why}${end}`, {
    cause,
  });
}
