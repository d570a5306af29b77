import { createRequire } from "node:module";
import { homedir } from "node:os";
import path from "node:path";
import { Argument, Command, CommanderError, Option } from "commander";
import { bound, boundOrAny, count, port, recordFrom, seed } from "./arguments.ts";
import { addConfig, addPermissions } from "./commands/config-flags.ts";
import type { DeleteFlags } from "./commands/delete.ts";
import type { DiagramFlags } from "./commands/diagram.ts";
import type { ExportFlags } from "./commands/export.ts";
import type { ForkFlags } from "./commands/fork.ts";
import type { ImportFlags } from "./commands/import.ts";
import { addLedger } from "./commands/ledger-flags.ts";
import type { ListFlags } from "./commands/list.ts";
import { addMcpCommands } from "./commands/mcp-flags.ts";
import type { MockFlags } from "./commands/mock.ts";
import type { RenameFlags } from "./commands/rename.ts";
import type { RestoreFlags } from "./commands/restore.ts";
import {
  addRooOptions,
  addUnavailableCommands,
  type RooFlags,
  withRooDefaults,
} from "./commands/roo-flags.ts";
import { addRunOptions, type RunFlags } from "./commands/run-flags.ts";
import { addAcp, addInspect, addServe } from "./commands/serve-flags.ts";
import type { ShowFlags } from "./commands/show.ts";
import type { SimulateFlags } from "./commands/simulate.ts";
import type { VerifyFlags } from "./commands/verify.ts";
import { CliError, EXIT, errorMessage, formatCliError } from "./error.ts";
import type { Io } from "./io.ts";
import { suggestName } from "./suggestion.ts";

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
  const program = createProgram(name, io, (result) => {
    code = result;
  });
  try {
    rejectMisspelledCommand(args, program);
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.failed;
    io.stderr.write(
      formatCliError(error instanceof CliError ? error.message : `unexpected error: ${errorMessage(error)}`),
    );
    return EXIT.failed;
  }
}

/** A misspelled command must not become the prompt of a task that costs money. */
function rejectMisspelledCommand([first = ""]: readonly string[], program: Command): void {
  const meant = suggestName(first, [...program.commands.map((command) => command.name()), "help"]);
  if (meant === undefined) return;
  throw new CliError(
    `unknown command "${first}". Did you mean ${meant}? To use it as a prompt: signalbox run "${first}"`,
  );
}

function readVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)("signalbox/package.json");
  const hasVersion = typeof manifest === "object" && manifest !== null && "version" in manifest;
  return hasVersion ? String(manifest.version) : "unknown";
}

function createProgram(name: ProgramName, io: Io, end: (code: number) => void): Command {
  const program = new Command(name)
    .description("Run LLM agent tasks on an explicit state machine.")
    // `mcp add` passes on the options of a program: each parent must stop at its subcommand.
    .enablePositionalOptions()
    .version(readVersion(), "-V, --version", "print the version")
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
  if (name === "signalbox-roo") addRoo(program, io, end);
  else addRun(program, io, end);
  addList(program, io);
  addShow(program, io);
  addFork(program, io);
  addRename(program, io);
  addDelete(program, io, end);
  addMock(program, io, end);
  addServe(program, io, end);
  addInspect(program, io, end);
  addAcp(program, readVersion(), io, end);
  addImport(program, io);
  addExport(program, io);
  addDiagram(program, io);
  addRestore(program, io, end);
  addVerify(program, io, end);
  addSimulate(program, io, end);
  addLedger(program, io, end);
  addConfig(program, io, end);
  addPermissions(program, io);
  addMcpCommands(program, io, end);
  for (const command of program.commands) {
    command.configureOutput({ outputError: (text, write) => write(formatUsageError(text, command)) });
  }
  return program;
}

// Each command loads its module when it runs, so that help and usage errors are fast.

function addRun(program: Command, io: Io, end: (code: number) => void): void {
  const command = program
    .command("run", { isDefault: true })
    .description("run a task in this folder (the default command)")
    .argument("[prompt]", "the task prompt");
  addRunOptions(command).action(async (prompt: string | undefined, flags: RunFlags) =>
    end(await runPrompt(prompt, flags, io)),
  );
}

async function runPrompt(prompt: string | undefined, flags: RunFlags, io: Io): Promise<number> {
  const { readSettings } = await import("./commands/settings.ts");
  const settings = await readSettings(prompt, flags, io);
  const { run } = await import("./commands/run.ts");
  return run(settings, io);
}

/** Roo Code's command, with its flags and its defaults. */
function addRoo(program: Command, io: Io, end: (code: number) => void): void {
  const command = program
    .command("run", { isDefault: true })
    .description("run a task in this folder; everything is approved unless -a is given")
    .argument("[prompt]", "the task prompt");
  addUnavailableCommands(program);
  addRooOptions(addRunOptions(command)).action(async (prompt: string | undefined, flags: RooFlags) =>
    end(await runPrompt(prompt, withRooDefaults(flags, io), io)),
  );
}

function addMock(program: Command, io: Io, end: (code: number) => void): void {
  program
    .command("mock")
    .description("serve the Messages API from a script (docs/reference/mock.md)")
    .option("--script <file>", "the script, in JSON or YAML (default: a built-in one)")
    .option("--port <n>", "port to listen on; 0 picks a free one", port, 8484)
    .action(async (flags: MockFlags) => {
      const { mock } = await import("./commands/mock.ts");
      end(await mock(flags, io));
    });
}

function addDiagram(program: Command, io: Io): void {
  program
    .command("diagram")
    .description("draw the task machine")
    .addOption(
      new Option("--format <format>", "a diagram, the transition table, or the diagram's parts and layout")
        .choices(["mermaid", "svg", "table", "json"])
        .default("mermaid"),
    )
    .option("--full", "include nested states in mermaid (the other formats always do)")
    .addOption(
      new Option("--theme <theme>", "colors of an svg; auto follows the viewer's preference")
        .choices(["auto", "light", "dark"])
        .default("auto"),
    )
    .action(async (flags: DiagramFlags) => {
      const { diagram } = await import("./commands/diagram.ts");
      io.stdout.write(await diagram(flags));
    });
}

const DATA_DIR = [
  "--data-dir <dir>",
  "data directory (journals, task history)",
  path.join(homedir(), ".signalbox"),
] as const;

const textOrJson = (): Option =>
  new Option("--format <format>", "output format").choices(["text", "json"]).default("text");

function addList(program: Command, io: Io): void {
  program
    .command("list")
    .description(
      "list the task history, newest first (docs/guide/task-history.md), or the available commands, modes or models",
    )
    .addArgument(
      new Argument(
        "[what]",
        "tasks (all workspaces), sessions (this workspace), commands, modes or models",
      ).choices([...LISTS]),
    )
    .option(
      "-w, --workspace <dir>",
      "only tasks of this workspace; the folder of commands and modes (default: this folder)",
    )
    .addOption(new Option("--all", "tasks of all workspaces (the default without -w)").conflicts("workspace"))
    .addOption(new Option("-e, --extension <path>", "accepted and ignored, for compatibility").hideHelp())
    .addOption(new Option("-k, --api-key <key>", "accepted and ignored, for compatibility").hideHelp())
    .addOption(new Option("-d, --debug", "accepted and ignored, for compatibility").hideHelp())
    .option("--limit <n>", "maximum number of entries", count)
    .option(...DATA_DIR)
    .addOption(textOrJson())
    .action(async (what: (typeof LISTS)[number] | undefined, flags: ListFlags) => {
      io.stdout.write(await formatList(what ?? "tasks", flags, io));
    });
}

const LISTS = ["tasks", "sessions", "commands", "modes", "models"] as const;

async function formatList(what: (typeof LISTS)[number], flags: ListFlags, io: Io): Promise<string> {
  switch (what) {
    case "tasks":
      return (await import("./commands/list.ts")).listTasks(flags);
    case "sessions":
      return (await import("./commands/list.ts")).listSessions(flags);
    case "commands":
      return (await import("./commands/choices.ts")).listCommands(flags, io);
    case "modes":
      return (await import("./commands/list-modes.ts")).listModes(flags);
    case "models":
      return (await import("./commands/choices.ts")).listModels(flags, io);
  }
}

function addShow(program: Command, io: Io): void {
  program
    .command("show")
    .description("show a task of the task history: its messages, and how to resume it")
    .argument("<id>", "task id, or a prefix of it")
    .option("--seq", "show record numbers, for fork --at")
    .option(
      "--at <seq>",
      "with --format html: record at which the page opens (default: the last)",
      recordFrom(0, "--seq shows the numbers"),
    )
    .option(...DATA_DIR)
    .addOption(
      new Option("--format <format>", "output format; html is the visual debugger in one file")
        .choices(["text", "json", "html"])
        .default("text"),
    )
    .action(async (id: string, flags: ShowFlags) => {
      const { show } = await import("./commands/show.ts");
      await show(id, flags, io);
    });
}

function addFork(program: Command, io: Io): void {
  program
    .command("fork")
    .description("create a task from the first records of another")
    .argument("<id>", "task id, or a prefix of it")
    .option(
      "--at <seq>",
      "last record to copy (default: the last)",
      recordFrom(1, "signalbox show ID --seq shows the numbers"),
    )
    .option("--id <id>", "id of the new task (default: a new UUID)")
    .option(...DATA_DIR)
    .addOption(textOrJson())
    .action(async (id: string, flags: ForkFlags) => {
      const { fork } = await import("./commands/fork.ts");
      io.stdout.write(await fork(id, flags));
    });
}

function addRename(program: Command, io: Io): void {
  program
    .command("rename")
    .description("rename a task")
    .argument("<id>", "task id, or a prefix of it")
    .argument("<name>", 'new name; "" restores the prompt as the title')
    .option(...DATA_DIR)
    .action(async (id: string, name: string, flags: RenameFlags) => {
      const { rename } = await import("./commands/rename.ts");
      io.stdout.write(await rename(id, name, flags));
    });
}

function addDelete(program: Command, io: Io, end: (code: number) => void): void {
  program
    .command("delete")
    .description("delete a task permanently")
    .argument("<id>", "task id, or a prefix of it")
    .option("-y, --yes", "don't ask for confirmation")
    .option("--recursive", "delete its subtasks too")
    .option(...DATA_DIR)
    .action(async (id: string, flags: DeleteFlags) => {
      const { deleteTask } = await import("./commands/delete.ts");
      end(await deleteTask(id, flags, io));
    });
}

function addImport(program: Command, io: Io): void {
  program
    .command("import")
    .description("import a Roo Code task folder (docs/guide/import-export.md)")
    .argument("<dir>", "folder with ui_messages.json and api_conversation_history.json")
    .option("--id <id>", "id of the imported task (default: a new UUID)")
    .option("-w, --workspace <dir>", "workspace of the task")
    .option(...DATA_DIR)
    .addOption(textOrJson())
    .action(async (dir: string, flags: ImportFlags) => {
      const { importTask } = await import("./commands/import.ts");
      io.stdout.write(await importTask(dir, flags));
    });
}

function addExport(program: Command, io: Io): void {
  program
    .command("export")
    .description("export a task as a Roo Code task folder (docs/guide/import-export.md)")
    .argument("<id>", "task id, or a prefix of it")
    .argument("<dir>", "folder to write to")
    .option("--force", "overwrite existing files")
    .option(...DATA_DIR)
    .addOption(textOrJson())
    .action(async (id: string, dir: string, flags: ExportFlags) => {
      const { exportTask } = await import("./commands/export.ts");
      io.stdout.write(await exportTask(id, dir, flags));
    });
}

function addRestore(program: Command, io: Io, end: (code: number) => void): void {
  program
    .command("restore")
    .description("restore the workspace's files to a checkpoint of a task (docs/guide/checkpoints.md)")
    .argument("<id>", "task id, or a prefix of it")
    .option(
      "--at <seq>",
      "use the newest checkpoint up to this record (default: the newest of all)",
      recordFrom(0, "--list shows the numbers of the checkpoints"),
    )
    .addOption(
      new Option(
        "--to <checkpoint>",
        "checkpoint by its name, or by the first 7 characters or more, to undo a restore",
      ).conflicts("at"),
    )
    .option("--list", "list the task's checkpoints")
    .option("-y, --yes", "don't ask for confirmation")
    .option(...DATA_DIR)
    .action(async (id: string, flags: RestoreFlags) => {
      const { restore } = await import("./commands/restore.ts");
      end(await restore(id, flags, io));
    });
}

const EMITS = ["emitTest", "emitJournal", "emitDiagram", "emitPage"];
/** Options of explorations only. */
const EXPLORES = [
  ...[
    "turns",
    "calls",
    "blocks",
    "queued",
    "interruptions",
    "crashes",
    "retries",
    "tools",
    "thinks",
    "opaque",
  ],
  ...["checkpoints", "maxStates", "law", "races", "everywhere", "machine"],
];

function addVerify(program: Command, io: Io, end: (code: number) => void): void {
  const command = program
    .command("verify")
    .description("explore the task machine and check its laws (docs/internals/verification.md)")
    .option("--turns <n|any>", "model responses", boundOrAny)
    .option("--calls <n>", "tool calls per response", bound)
    .option("--blocks <n>", "content blocks per response, tool calls included", bound)
    .option("--queued <n|any>", "queued messages", boundOrAny)
    .option("--interruptions <n|any>", "cancels and journal failures", boundOrAny)
    .option("--crashes <n|any>", "process crashes", boundOrAny)
    .option("--retries <n>", "retries of a failed request before the user is asked", bound)
    .option("--tools <names>", "tools that the model may call, comma-separated")
    .option("--thinks", "responses may begin with thinking")
    .option("--opaque", "responses may contain the use of a server tool")
    .option("--checkpoints", "take a checkpoint before the first tool call of a turn that may change files")
    .option("--max-states <n>", "stop an exploration at this many states, without failing", count)
    .option(
      "--law <id>",
      "check only this law (repeatable)",
      (id: string, others: readonly string[] = []) => [...others, id],
    )
    .addOption(new Option("--races", "print every pair of racing events, in both orders").conflicts(EMITS))
    .option("--everywhere", "with --races: in every state, not only the first of each kind")
    .addOption(
      new Option(
        "--log <file>",
        "check the message laws against a recorded log instead of exploring",
      ).conflicts([...EXPLORES, ...EMITS]),
    )
    .addOption(
      new Option(
        "--policy <name|file>",
        "check this policy over time, too, or alone with --log (repeatable; docs/guide/temporal-policies.md)",
      )
        .argParser((policy: string, others: readonly string[] = []) => [...others, policy])
        .conflicts(["races", "emitTest"]),
    )
    .option(
      "--machine <file>",
      "module that exports `machine`: the built-in machine with other actions or guards",
    );
  addEmitOptions(command, "a counterexample").action(async (flags: VerifyFlags) => {
    const { verify } = await import("./commands/verify.ts");
    end(await verify(flags, io));
  });
}

/** Add the options that write what was found to files, and the output format. */
const addEmitOptions = (command: Command, what: string): Command =>
  command
    .option("--emit-test <file>", `write ${what} as a test`)
    .option("--emit-journal <file>", `write ${what} as a journal`)
    .option("--emit-diagram <file>", `write ${what} as a mermaid sequence diagram`)
    .option("--emit-page <file>", `write ${what} as a visual debugger page, opened at its last transition`)
    .addOption(textOrJson());

function addSimulate(program: Command, io: Io, end: (code: number) => void): void {
  const command = program
    .command("simulate")
    .description(
      "run whole tasks on a simulated clock with injected faults, checking the laws (docs/guide/simulation.md)",
    )
    .option("--seed <n>", "seed of the first task; each further task uses the next one (default: 1)", seed)
    .option("--tasks <n>", "number of tasks (default: 1000, or as many as --for allows)", count)
    .option("--for <time>", "time limit: a number with ms, s, m or h");
  addEmitOptions(command, "the first failure").action(async (flags: SimulateFlags) => {
    const { simulateTasks } = await import("./commands/simulate.ts");
    end(await simulateTasks(flags, io));
  });
}

/** Format an error of commander; an unknown option lists the known ones. */
function formatUsageError(text: string, command: Command): string {
  const message = text.replace(/^error: /, "[CLI] Error: ");
  return text.startsWith("error: unknown option")
    ? `${message}Options: ${formatOptions(command)}\n`
    : message;
}

function formatOptions(command: Command): string {
  return [...command.options.map(({ flags }) => flags.replace(/ <.*>$/, "")), "-h, --help"].join("; ");
}
