import { homedir } from "node:os";
import { Command, type Option } from "commander";
import { COMMANDS } from "../../cli/commands/commands.ts";
import { addRunOptions, addTaskOptions } from "../../cli/settings/run-flags.ts";
import { formatCell } from "./docstrings.ts";
import { formatTable } from "./format-table.ts";

/** The commands of `signalbox`, and the commands in them, with what they take. */
export async function commandTable(): Promise<string> {
  const rows = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, { summary, alias }]) => {
      const command = await definedCommand(name);
      const names = [name, ...(alias === undefined ? [] : [alias])].join("`, `");
      const own = [names, summary, command] as const;
      const inner = command.commands.map((one) => [`${name} ${one.name()}`, one.description(), one] as const);
      return [own, ...inner].map(([term, about, one]) => [
        `\`${[term, ...argumentsOf(one)].join(" ")}\``,
        formatHelp(about),
        optionNames(one),
      ]);
    }),
  );
  return formatTable(["command", "purpose", "options"], rows.flat());
}

const shownOf = (options: readonly Option[]): readonly Option[] => options.filter(({ hidden }) => !hidden);

const namesOf = (command: Command): readonly string[] =>
  shownOf(command.options).map(({ long }) => `\`${long}\``);

/** The names of a command's options. The options of every task are a link to the options of `run`. */
function optionNames(command: Command): string {
  const names = namesOf(command);
  if (!names.includes("`--provider`")) return names.join(" ");
  if (command.name() === "run") return "[below](#run)";
  const ofTasks = namesOf(addTaskOptions(new Command()));
  return [...names.filter((name) => !ofTasks.includes(name)), "[options of each task](#run)"].join(" ");
}

/** The options of `run`. */
export const runOptionTable = (): string => optionTable(addRunOptions(new Command()).options);

/** The options of a command whose names match. */
export const optionTableOf = async (name: string, mark: RegExp): Promise<string> =>
  optionTable((await definedCommand(name)).options.filter(({ long }) => mark.test(long ?? "")));

function optionTable(options: readonly Option[]): string {
  const rows = shownOf(options).map((option) => {
    const [, about = "", inText] = /^(.*?)(?: \(default: (.*)\))?$/.exec(option.description) ?? [];
    const choices = option.argChoices?.map((choice) => `\`${choice}\``).join(", ");
    return [
      `\`${option.flags.replace(/<.*>/, formatValue)}\``,
      formatHelp([about, ...(choices === undefined ? [] : [choices])].join(": ")),
      formatHelp(inText ?? defaultOf(option)),
    ] as const;
  });
  const hasDefaults = rows.some(([, , value]) => value !== "");
  return hasDefaults
    ? formatTable(["option", "meaning", "default"], rows)
    : formatTable(
        ["option", "meaning"],
        rows.map(([flags, meaning]) => [flags, meaning]),
      );
}

function defaultOf({ defaultValue, negate }: Option): string {
  const isShown = defaultValue !== undefined && !negate;
  return isShown ? `\`${String(defaultValue).replace(homedir(), "~")}\`` : "";
}

/** A text of the help as a cell, with options and rules as code. */
const formatHelp = (text: string): string =>
  formatCell(text.replaceAll(/(?<!`)(?:--[a-z][a-z-]+|\w+\([^)\s]*\*\))/g, "`$&`"));

/** The value of an option: `<n|any>` is a number or the word itself. */
const formatValue = (value: string): string =>
  value
    .slice(1, -1)
    .split("|")
    .map((word) => (word === "any" ? word : word.toUpperCase()))
    .join("\\|");

const argumentsOf = (command: Command): readonly string[] =>
  command.registeredArguments.map((argument) => {
    const name = `${argument.name().toUpperCase()}${argument.variadic ? "..." : ""}`;
    return argument.required ? name : `[${name}]`;
  });

/** A command with its options, as the call of it has them. */
async function definedCommand(name: string): Promise<Command> {
  const command = new Command(name);
  const nothing = () => {};
  (await COMMANDS[name]?.load())?.define(command, { io: process, args: [], print: nothing, end: nothing });
  return command;
}
