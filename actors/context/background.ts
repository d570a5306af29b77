import { type EnvironmentSection, environmentSection } from "../../machines/conversation/index.ts";
import type { BackgroundCommand } from "../../machines/task/index.ts";
import { oneLine, quoted, shortened } from "./element.ts";

/** Characters of a command in the environment details. */
const COMMAND_MAX_CHARS = 200;

const nameOf = ({ command }: BackgroundCommand): string => shortened(oneLine(command), COMMAND_MAX_CHARS);

/** The running commands, as the body of a section; undefined for none. */
export const commandList = (commands: readonly BackgroundCommand[]): string | undefined =>
  commands.length === 0
    ? undefined
    : commands.map((command) => `- ${nameOf(command)} (id ${JSON.stringify(command.callId)})`).join("\n");

/** New output of commands, quoted: no line of it is one of the environment details. */
export function outputSection(
  outputs: readonly { readonly command: BackgroundCommand; readonly text: string }[],
): EnvironmentSection | undefined {
  const shown = outputs.filter(({ text }) => text !== "");
  if (shown.length === 0) return undefined;
  const body = shown.map(({ command, text }) => `${nameOf(command)}:\n${quoted(text)}`).join("\n");
  return environmentSection("New background output", body);
}
