import type { Command } from "commander";
import { quoteArgument } from "./command-line.ts";
import { CliError } from "./error.ts";
import { isOneWord, suggestName } from "./suggestion.ts";

/** A misspelled command must not become the prompt of a task that costs money. @throws CliError */
export function rejectMisspelledCommand([first = ""]: readonly string[], program: Command): void {
  const meant = suggestName(first, commandNames(program));
  if (meant !== undefined) throw unknownCommand(first, program);
}

/** One word may be a command that does not exist: `run` before it makes it a prompt. @throws CliError */
export function rejectOneWord(prompt: string | undefined, args: readonly string[], program: Command): void {
  if (prompt !== undefined && args[0] !== "run" && isOneWord(prompt)) throw unknownCommand(prompt, program);
}

function unknownCommand(word: string, program: Command): CliError {
  const meant = OTHER_NAMES[word] ?? suggestName(word, commandNames(program));
  const suggestion = meant === undefined ? "signalbox --help lists them." : `Did you mean ${meant}?`;
  return new CliError(
    `unknown command "${word}". ${suggestion} To use it as a prompt: signalbox run ${quoteArgument(word)}`,
  );
}

const commandNames = (program: Command): readonly string[] => [
  ...program.commands.flatMap((command) => [command.name(), ...command.aliases()]),
  "help",
];

/** The name that other programs have for it. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  version: "signalbox --version",
  ls: "list",
  resume: "run --continue",
  continue: "run --continue",
  login: "mcp login NAME",
  models: "list models",
  modes: "list modes",
  sessions: "list sessions",
  tasks: "list",
  settings: "config show",
  trust: "config trust",
};
