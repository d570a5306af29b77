import { type EnvironmentSection, environmentSection } from "../../machines/conversation/environment.ts";
import type { BackgroundCommand } from "../../machines/task/task.events.ts";
import { oneLine, quoted, shortened } from "./element.ts";

/** Characters of a command in the environment details. */
const COMMAND_MAX_CHARS = 200;

const nameOf = ({ command }: BackgroundCommand): string => shortened(oneLine(command), COMMAND_MAX_CHARS);

/** The running commands, and those that left a process behind, as the body of a section; undefined for none. */
export function commandList(
  commands: readonly BackgroundCommand[],
  left: readonly BackgroundCommand[],
): string | undefined {
  const line = (command: BackgroundCommand, note = ""): string =>
    `- ${nameOf(command)} (id ${JSON.stringify(command.callId)}${note})`;
  const lines = [
    ...commands.map((command) => line(command)),
    ...left.map((command) => line(command, "; it ended, and a process that it started still runs")),
  ];
  return lines.length === 0 ? undefined : lines.join("\n");
}

/** New output of commands, quoted: no line of it is one of the environment details. */
export function outputSection(
  outputs: readonly { readonly command: BackgroundCommand; readonly text: string }[],
): EnvironmentSection | undefined {
  const shown = outputs.filter(({ text }) => text !== "");
  if (shown.length === 0) return undefined;
  const body = shown.map(({ command, text }) => `${nameOf(command)}:\n${quoted(text)}`).join("\n");
  return environmentSection("New background output", body);
}
