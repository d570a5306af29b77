import type { Command } from "commander";

/**
 * The options of a call that are passed on to other commands: those that were given, without the command's own ones.
 *
 * @param own the names of the command's own options
 */
export function passedArguments(command: Command, own: readonly string[]): readonly string[] {
  return command.options.flatMap((option) => {
    const name = option.attributeName();
    if (own.includes(name) || command.getOptionValueSource(name) !== "cli") return [];
    const value: unknown = command.getOptionValue(name);
    const flag = option.long ?? option.short ?? "";
    // With "=", a value may start with a dash.
    return [typeof value === "boolean" ? flag : `${flag}=${String(value)}`];
  });
}
