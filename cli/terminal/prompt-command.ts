import { printable } from "../../client/printable/printable.ts";
import { CliError } from "../error.ts";
import type { RunCommand, RunCommands } from "../run/settings.ts";
import type { SlashCommand, SlashContext } from "./slash-context.ts";

/** The command that sends a prompt by its name. */
export function promptCommand(name: string, { list }: RunCommands): SlashCommand | undefined {
  const command = list.find((each) => each.name === name);
  return command === undefined ? undefined : toSlashCommand(command);
}

/** A command that shows and sends its prompt. */
export function toSlashCommand(command: RunCommand): SlashCommand {
  const { name, argumentHint, description, origin } = command;
  return {
    usage: argumentHint === undefined ? `/${name}` : `/${name} ${argumentHint}`,
    about: description === undefined ? `(${origin})` : `${description} (${origin})`,
    run: async (context, argument) => {
      switchMode(context, command);
      context.send(await command.expand(argument));
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
  say(
    result.ok
      ? `The mode is ${mode}. Open asks are judged again now; the model sees it with the next request.`
      : printable(result.message),
  );
}
