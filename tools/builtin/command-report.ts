import { READ_ARTIFACT } from "../../machines/conversation/artifacts.ts";
import type { CommandReport, Commands } from "../../ports/commands.ts";
import type { CommandResult } from "../../ports/shell.ts";
import { ToolError } from "../error.ts";
import type { ToolResult } from "../tool.ts";

/** Maximum characters of a command's id. */
export const COMMAND_ID_MAX_CHARS = 200;

/** The state of a command, and its new output. `notes`: sentences in between. */
export function formatReport(report: CommandReport, ...notes: readonly string[]): ToolResult {
  const text = [`${stateOf(report)}: ${report.command}`, ...notes, newOutput(report)].join("\n");
  return { content: [{ type: "text", text }] };
}

function stateOf({ end }: CommandReport): string {
  if (end === undefined) return "The command runs";
  if (end.timedOut) return "The command did not end within its timeout and was terminated";
  if (end.exitCode === undefined) return `The command was terminated by ${end.signal ?? "a signal"}`;
  const left = end.leavesProcess === true ? ", and a process that it started still runs" : "";
  return `The command ended with exit code ${end.exitCode}${left}`;
}

function newOutput({ output, cutChars, end }: CommandReport): string {
  const file = end === undefined ? "" : fullOutputNote(end);
  if (output === "" && cutChars === 0) return `There is no new output.${file}`;
  const cut = cutChars === 0 ? "" : `[... ${cutChars} characters before this are not kept ...]\n`;
  return `New output:\n${cut}${output}${file}`;
}

/** The place of the full output, if the result does not have all of it. */
export function fullOutputNote({ fullOutputPath: file, fullOutputId: id }: CommandResult): string {
  if (id !== undefined)
    return `\n[To read the full output, call ${READ_ARTIFACT} with the id ${JSON.stringify(id)}]`;
  return file === undefined ? "" : `\n[The full output is in ${file}]`;
}

/** An id that this process does not know may belong to a command that still runs. */
export function unknownCommand(id: string, { running }: Commands): ToolError {
  const known =
    running.length === 0
      ? "No command runs in the background."
      : `In the background run: ${running.map((each) => JSON.stringify(each)).join(", ")}.`;
  return new ToolError(
    "NOT_FOUND",
    `Expected the id of a command that this process started, received ${JSON.stringify(id)}. ${known} ` +
      "If it is the command of an earlier run of the task, it is not known whether it still runs: look for its process. " +
      "If a message says that the command ended, its output is not kept any longer.",
  );
}

/** @throws ToolError `FAILED` */
export function assertTracked(commands: Commands | undefined): Commands {
  if (commands !== undefined) return commands;
  throw new ToolError("FAILED", "The commands of this task are not tracked: none can be read or stopped.");
}
