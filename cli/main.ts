import { Command, CommanderError, Help } from "commander";
import { ControlError } from "../control/error.ts";
import { VERSION } from "../wire/version.ts";
import type { Invocation } from "./commands/command.ts";
import { COMMANDS, DEFAULT_COMMAND, ROO_RUN } from "./commands/commands.ts";
import { addUnavailableCommands } from "./commands/unavailable.ts";
import { CliError, EXIT, errorMessage, formatCliError } from "./error.ts";
import type { Io } from "./io.ts";
import { rejectMisspelledCommand } from "./unknown-command.ts";

/** The name the command was called by: `signalbox-roo` has the defaults of Roo Code's command. */
export type ProgramName = "signalbox" | "signalbox-roo";

/**
 * Run the command line and return the exit code. Never throws. Called as `signalbox-roo`, it has the defaults of Roo
 * Code's command.
 */
export async function main(
  args: readonly string[],
  io: Io,
  name: ProgramName = "signalbox",
): Promise<number> {
  let code: number = EXIT.done;
  const end = (result: number): void => {
    code = result;
  };
  const print = (text: string): void => {
    io.stdout.write(text);
  };
  try {
    const program = await createProgram(name, { args, io, print, end });
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.failed;
    io.stderr.write(formatCliError(messageOf(error)));
    return EXIT.failed;
  }
}

function messageOf(error: unknown): string {
  if (error instanceof CliError) return error.message;
  return error instanceof ControlError
    ? `${error.code}: ${error.message}`
    : `unexpected error: ${errorMessage(error)}`;
}

/** Relative paths, also the default workspace, need a current folder. @throws CliError if it was removed */
function assertCurrentFolder(): void {
  try {
    process.cwd();
  } catch (cause) {
    throw new CliError(
      "the current folder no longer exists: expected one to work in. Change to another folder (cd), then run the command again.",
      { cause },
    );
  }
}

/** Creates the program with all its commands. Only the command that is called gets its options. */
async function createProgram(name: ProgramName, invocation: Invocation): Promise<Command> {
  const { args, io } = invocation;
  const isRoo = name === "signalbox-roo";
  const commands = isRoo ? { ...COMMANDS, [DEFAULT_COMMAND]: ROO_RUN } : COMMANDS;
  const program = new Command(name)
    .description("Run LLM agent tasks on an explicit state machine.")
    // `mcp add` passes on the options of a program: each parent must stop at its subcommand.
    .enablePositionalOptions()
    .version(VERSION, "-V, --version", "print the version")
    .hook("preAction", assertCurrentFolder)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => write(formatUsageError(text, program)),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  program.addHelpText(
    "after",
    `
The default command is run: ${name} "Make the tests pass"
Without an API key:         ${name} run --provider mock "Hello"
Options of run:             ${name} run --help`,
  );
  for (const [word, { summary, alias }] of Object.entries(commands)) {
    const command = program.command(word, { isDefault: word === DEFAULT_COMMAND }).description(summary);
    if (alias !== undefined) command.alias(alias);
  }
  const terms = new Help();
  program.configureHelp({
    subcommandTerm(command) {
      const { takes } = commands[command.name()] ?? {};
      const term = terms.subcommandTerm(command);
      return takes === undefined ? term : `${term} ${takes}`;
    },
  });
  if (isRoo) addUnavailableCommands(program);
  rejectMisspelledCommand(args, program);
  const called = calledCommand(program, args);
  if (called !== undefined) (await commands[called.name()]?.load())?.define(called, invocation);
  program.commands.forEach(listOwnOptions);
  return program;
}

/** The command that is called, or that help is asked of. Undefined for help about all, and the version. */
function calledCommand(program: Command, [first, second]: readonly string[]): Command | undefined {
  if (first === undefined) return commandOf(program, DEFAULT_COMMAND);
  if (PROGRAM_OPTIONS.has(first)) return undefined;
  if (first === "help") return second === undefined ? undefined : commandOf(program, second);
  return commandOf(program, first) ?? commandOf(program, DEFAULT_COMMAND);
}

const PROGRAM_OPTIONS: ReadonlySet<string> = new Set(["-h", "--help", "-V", "--version"]);

const commandOf = (program: Command, word: string): Command | undefined =>
  program.commands.find((command) => command.name() === word || command.aliases().includes(word));

/** Errors of a command, and of those in it, list its own options. */
function listOwnOptions(command: Command): void {
  command.configureOutput({ outputError: (text, write) => write(formatUsageError(text, command)) });
  command.commands.forEach(listOwnOptions);
}

/** Format an error of commander; an unknown option lists the known ones. */
function formatUsageError(text: string, command: Command): string {
  const message = text.replace(/^error: /, "[CLI] Error: ");
  if (!text.startsWith("error: unknown option")) return message;
  const reason = /^error: unknown option '--database\b/.test(text)
    ? "This command works with files only.\n"
    : "";
  return `${message}${reason}Options: ${formatOptions(command)}\n`;
}

function formatOptions(command: Command): string {
  return [...command.options.map(({ flags }) => flags.replace(/ [<[].*[>\]]$/, "")), "-h, --help"].join("; ");
}
