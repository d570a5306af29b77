import { expandCommand } from "../../settings/index.ts";
import { CliError } from "../error.ts";
import type { RunCommand, RunCommands } from "../run/index.ts";
import { printable } from "../show/index.ts";
import type { SlashCommand, SlashContext } from "./slash-context.ts";

/** The command of a file by its name. */
export function fileCommand(name: string, { list }: RunCommands): SlashCommand | undefined {
  const command = list.find((each) => each.name === name);
  return command === undefined ? undefined : toSlashCommand(command);
}

/** A command that sends the prompt of its file. */
export function toSlashCommand(command: RunCommand): SlashCommand {
  const { name, argumentHint, description, origin } = command;
  return {
    usage: argumentHint === undefined ? `/${name}` : `/${name} ${argumentHint}`,
    about: description === undefined ? `(${origin})` : `${description} (${origin})`,
    run: (context, argument) => {
      switchMode(context, command);
      context.send(expandCommand(command, argument));
    },
  };
}

/** @throws CliError for a mode that does not exist */
function switchMode({ task, modes, say }: SlashContext, { mode, origin }: RunCommand): void {
  if (mode === undefined || mode === task().snapshot.context.mode) return;
  if (modes.find(mode) === undefined) {
    const slugs = modes.list.map(({ slug }) => slug).join(", ");
    throw new CliError(`${origin}: expected the slug of a mode (${slugs}), received '${mode}'. Correct it.`);
  }
  const result = task().switchMode(mode);
  say(result.switched ? `The mode is ${mode} from the next request on.` : printable(result.message));
}
