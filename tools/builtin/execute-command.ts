import { z } from "zod";
import type { CommandResult } from "../../ports/shell.ts";
import type { ResolvedPath, Workspace } from "../../ports/workspace.ts";
import { ignoredPathIn } from "../command-line/ignored-path.ts";
import { defineTool } from "../define-tool.ts";
import { textOf } from "../descriptor.ts";
import { ToolError } from "../error.ts";
import { cutEnd } from "../text.ts";
import type { Tool, ToolResult } from "../tool.ts";
import { fullOutputNote } from "./command-report.ts";

export interface CommandOptions {
  /** Timeout of a command without a `timeout` argument, in milliseconds. Default 600,000. */
  readonly defaultTimeoutMs?: number;
  /** Maximum `timeout` argument, in milliseconds. Default 3,600,000. */
  readonly maxTimeoutMs?: number;
  /** Timeout of a command with `background` and without `timeout`, in milliseconds. Default 86,400,000. */
  readonly backgroundTimeoutMs?: number;
}

/** Maximum bytes of the command in a partial message. */
const PARTIAL_COMMAND_BYTES = 8_000;
/** Maximum length of a command line; Linux limits one argument to 128 KB. */
const COMMAND_MAX_CHARS = 30_000;

/** Runs a command line in the workspace. */
export function executeCommand(options: CommandOptions = {}): Tool {
  const defaultMs = options.defaultTimeoutMs ?? 600_000;
  const maxMs = options.maxTimeoutMs ?? 3_600_000;
  const backgroundMs = options.backgroundTimeoutMs ?? 86_400_000;
  return defineTool({
    name: "execute_command",
    displayName: "Run command",
    group: "command",
    effect: "executes",
    ask: "command",
    description:
      "Runs a command line through the shell in the workspace and gives its output and exit code. It gets no input. It is terminated at its timeout. With background, the call ends at once with an id for command_output and stop_command, and the command runs on until the task ends: for servers and watchers.",
    inputSchema: z.object({
      command: z.string().trim().min(1).max(COMMAND_MAX_CHARS).describe("The command line."),
      cwd: z.string().min(1).nullish().describe("The folder to run in; the workspace by default."),
      timeout: z
        .number()
        .positive()
        .max(maxMs / 1000)
        .nullish()
        .describe(
          `Seconds after which it is terminated. Default ${defaultMs / 1000}; ${backgroundMs / 1000} in the background.`,
        ),
      background: z
        .boolean()
        .nullish()
        .describe(
          "Whether it runs in the background. Default false. Its exit code comes in a later message.",
        ),
    }),
    partial: (raw) => {
      const command = textOf(raw, "command");
      return command === undefined ? undefined : cutEnd(command, PARTIAL_COMMAND_BYTES);
    },
    describe: async ({ command, cwd }, { workspace }) => {
      // The message shows only the command, so its working directory must be inside.
      const folder = await workingDirectory(workspace, cwd);
      const ignoredPath = await ignoredPathIn(command, folder.real, workspace);
      return { text: command, paths: [folder], command, ...(ignoredPath !== undefined && { ignoredPath }) };
    },
    execute: async ({ command, cwd, timeout, background }, ports) => {
      const { workspace, shell, signal, output, progress, continueInBackground } = ports;
      const folder = await workingDirectory(workspace, cwd);
      const isBackground = background === true && continueInBackground !== undefined;
      const timeoutMs = timeout == null ? (isBackground ? backgroundMs : defaultMs) : timeout * 1000;
      if (isBackground) continueInBackground();
      // After a crash of this process the log says which process may still run.
      const started = (pid: number): void => progress({ text: `pid ${pid}` });
      const options = { command, cwd: folder.real, timeoutMs, signal, output };
      const ended = await shell.run(isBackground ? { ...options, started } : options);
      return result(ended, folder.real, timeoutMs, signal.aborted);
    },
  });
}

async function workingDirectory(workspace: Workspace, cwd: string | null | undefined): Promise<ResolvedPath> {
  const folder = await workspace.resolve(cwd ?? ".");
  if (folder.inside) return folder;
  throw new ToolError(
    "OUTSIDE_WORKSPACE",
    `The working directory '${cwd}' is outside the workspace ${workspace.root}: expected one inside. Change the directory within the command if you need to.`,
  );
}

function result(ended: CommandResult, cwd: string, timeoutMs: number, aborted: boolean): ToolResult {
  const text = `${summary(ended, cwd, timeoutMs, aborted)}\nOutput:\n${ended.output}${fullOutputNote(ended)}`;
  return {
    content: [{ type: "text", text }],
    command: { output: ended.output, ...(ended.exitCode === undefined ? {} : { exitCode: ended.exitCode }) },
  };
}

function summary(ended: CommandResult, cwd: string, timeoutMs: number, aborted: boolean): string {
  const where = `Command executed in terminal within working directory '${cwd}'.`;
  if (ended.timedOut) {
    return `${where} It did not end within ${timeoutMs / 1000} seconds and was terminated. Do not run it again unchanged: choose a longer timeout or another way.`;
  }
  if (aborted || ended.exitCode === undefined) {
    return `${where} Process terminated by signal ${ended.signal ?? "SIGTERM"}${aborted ? ", because the command was stopped from outside" : ""}.`;
  }
  const failed = ended.exitCode === 0 ? "" : "The command failed: find out why before you continue.\n";
  return `${failed}${where} Exit code: ${ended.exitCode}`;
}
