import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { textOf } from "../descriptor.ts";
import { ToolError } from "../error.ts";
import type { CommandEnd } from "../ports.ts";
import { cutEnd } from "../text.ts";
import type { Tool, ToolResult } from "../tool.ts";

export interface CommandOptions {
  /** How long a command runs if the call names no time. Default 10 minutes. */
  readonly defaultTimeoutMs?: number;
  /** The longest time that a call may name. Default 1 hour. */
  readonly maxTimeoutMs?: number;
}

/** The most bytes of the command in a partial row. */
const PARTIAL_COMMAND_BYTES = 8_000;
/** The longest command line: the system's own limit for one argument is 128 KB. */
const COMMAND_MAX_CHARS = 30_000;

/** Runs a command line in the workspace. */
export function executeCommand(options: CommandOptions = {}): Tool {
  const defaultMs = options.defaultTimeoutMs ?? 600_000;
  const maxMs = options.maxTimeoutMs ?? 3_600_000;
  return defineTool({
    name: "execute_command",
    displayName: "Run command",
    group: "command",
    effect: "executes",
    ask: "command",
    description:
      "Runs a command line through /bin/sh in the workspace and gives its output and exit code. It gets no input. It is ended when its time is over.",
    input: z.object({
      command: z.string().trim().min(1).max(COMMAND_MAX_CHARS).describe("The command line."),
      cwd: z.string().min(1).nullish().describe("The folder to run in; the workspace by default."),
      timeout: z
        .number()
        .positive()
        .max(maxMs / 1000)
        .nullish()
        .describe(`Seconds after which it is ended. Default ${defaultMs / 1000}.`),
    }),
    partial: (raw) => {
      const command = textOf(raw, "command");
      return command === undefined ? undefined : cutEnd(command, PARTIAL_COMMAND_BYTES);
    },
    describe: async ({ command, cwd }, { workspace }) => {
      const folder = await workspace.resolve(cwd ?? ".");
      // The row shows the command alone, so its folder must be one that surprises nobody.
      if (!folder.inside) {
        throw new ToolError(
          "outside_workspace",
          `The working directory '${cwd}' lies outside the workspace ${workspace.root}: expected one inside. Change the folder within the command if you need to.`,
        );
      }
      return { text: command, paths: [folder], command };
    },
    run: async ({ command, cwd, timeout }, { workspace, shell, signal, output }) => {
      const folder = await workspace.resolve(cwd ?? ".");
      if (!folder.inside) {
        throw new ToolError(
          "outside_workspace",
          `The working directory '${cwd}' lies outside the workspace.`,
        );
      }
      const timeoutMs = timeout == null ? defaultMs : timeout * 1000;
      const end = await shell.run({ command, cwd: folder.real, timeoutMs, signal, output });
      return result(end, folder.real, timeoutMs, signal.aborted);
    },
  });
}

function result(end: CommandEnd, cwd: string, timeoutMs: number, aborted: boolean): ToolResult {
  const whole = end.wholeOutput === undefined ? "" : `\n[The whole output is in ${end.wholeOutput}]`;
  const text = `${opening(end, cwd, timeoutMs, aborted)}\nOutput:\n${end.output}${whole}`;
  return {
    content: [{ type: "text", text }],
    command: { output: end.output, ...(end.exitCode === undefined ? {} : { exitCode: end.exitCode }) },
  };
}

function opening(end: CommandEnd, cwd: string, timeoutMs: number, aborted: boolean): string {
  const where = `Command executed in terminal within working directory '${cwd}'.`;
  if (end.timedOut) {
    return `${where} It did not end within ${timeoutMs / 1000} seconds and was terminated. Do not run it again unchanged: choose a longer timeout or another way.`;
  }
  if (aborted || end.exitCode === undefined) {
    return `${where} Process terminated by signal ${end.signal ?? "SIGTERM"}${aborted ? ", because the command was stopped from outside" : ""}.`;
  }
  const failed = end.exitCode === 0 ? "" : "The command failed: find out why before you go on.\n";
  return `${failed}${where} Exit code: ${end.exitCode}`;
}
