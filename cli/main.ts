import { createRequire } from "node:module";
import { homedir } from "node:os";
import path from "node:path";
import { Argument, Command, CommanderError, Option } from "commander";
import { bound, boundOrAny, count, port, recordFrom, seed } from "./arguments.ts";
import type { DeleteFlags } from "./commands/delete.ts";
import type { DiagramFlags } from "./commands/diagram.ts";
import type { ExportFlags } from "./commands/export.ts";
import type { ForkFlags } from "./commands/fork.ts";
import type { ImportFlags } from "./commands/import.ts";
import type { ListFlags } from "./commands/list.ts";
import type { MockFlags } from "./commands/mock.ts";
import type { RenameFlags } from "./commands/rename.ts";
import type { RestoreFlags } from "./commands/restore.ts";
import { addRooOptions, type RooFlags, refuseGone, withRooDefaults } from "./commands/roo-flags.ts";
import { addRunOptions, type RunFlags } from "./commands/run-flags.ts";
import { addInspect, addServe } from "./commands/serve-flags.ts";
import type { ShowFlags } from "./commands/show.ts";
import type { SimulateFlags } from "./commands/simulate.ts";
import type { VerifyFlags } from "./commands/verify.ts";
import { CliError, sayCliError, wordsOf } from "./error.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { meantBy } from "./near.ts";
import type { ProgramName } from "./program-name.ts";

/**
 * The command: does what the arguments say and gives the exit code. It never throws. Called as `signalbox-roo` it has
 * the defaults of the frozen product's command.
 */
export async function main(
  args: readonly string[],
  io: Io,
  name: ProgramName = "signalbox",
): Promise<number> {
  let code: number = EXIT.done;
  const program = programOf(name, io, (result) => {
    code = result;
  });
  try {
    refuseMisspelt(args, program);
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.failed;
    io.stderr.write(sayCliError(error instanceof CliError ? error.message : `unexpected: ${wordsOf(error)}`));
    return EXIT.failed;
  }
}

/** A command that is misspelt must not become the prompt of a task that costs money. */
function refuseMisspelt([first = ""]: readonly string[], program: Command): void {
  const meant = meantBy(first, [...program.commands.map((command) => command.name()), "help"]);
  if (meant === undefined) return;
  throw new CliError(
    `there is no command "${first}". Did you mean ${meant}? As a prompt it is: signalbox run "${first}"`,
  );
}

function versionOf(): string {
  const manifest: unknown = createRequire(import.meta.url)("signalbox/package.json");
  const hasVersion = typeof manifest === "object" && manifest !== null && "version" in manifest;
  return hasVersion ? String(manifest.version) : "unknown";
}

function programOf(name: ProgramName, io: Io, end: (code: number) => void): Command {
  const program = new Command(name)
    .description("Runs tasks of an LLM agent, under one explicit state machine.")
    .version(versionOf(), "-V, --version", "say the version")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => write(sayUsageError(text, program)),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  program.addHelpText(
    "after",
    `
Without a command it is run: ${name} "Make the tests pass"
Try it without a key:        ${name} run --provider mock "Hello"
Its options:                 ${name} run --help`,
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
  addImport(program, io);
  addExport(program, io);
  addDiagram(program, io);
  addRestore(program, io, end);
  addVerify(program, io, end);
  addSimulate(program, io, end);
  for (const command of program.commands) {
    command.configureOutput({ outputError: (text, write) => write(sayUsageError(text, command)) });
  }
  return program;
}

// Each command loads what it needs: help and a wrong option need next to nothing.

function addRun(program: Command, io: Io, end: (code: number) => void): void {
  const command = program
    .command("run", { isDefault: true })
    .description("run a task here (what `signalbox [prompt]` does)")
    .argument("[prompt]", "what shall be done");
  addRunOptions(command).action(async (prompt: string | undefined, flags: RunFlags) => {
    const { settingsOf } = await import("./commands/settings.ts");
    const settings = await settingsOf(prompt, flags, io);
    const { run } = await import("./commands/run.ts");
    end(await run(settings, io));
  });
}

/** The frozen product's command, by its flags and its defaults. */
function addRoo(program: Command, io: Io, end: (code: number) => void): void {
  const command = program
    .command("run", { isDefault: true })
    .description("run a task here; everything is approved unless -a says otherwise")
    .argument("[prompt]", "what shall be done");
  refuseGone(program);
  addRooOptions(addRunOptions(command)).action(async (prompt: string | undefined, flags: RooFlags) => {
    const { settingsOf } = await import("./commands/settings.ts");
    const settings = await settingsOf(prompt, withRooDefaults(flags, io), io);
    const { run } = await import("./commands/run.ts");
    end(await run(settings, io));
  });
}

function addMock(program: Command, io: Io, end: (code: number) => void): void {
  program
    .command("mock")
    .description("serve the Messages API from a script (docs/mock.md)")
    .option("--script <file>", "what it says, in JSON or YAML")
    .option("--port <n>", "the port; 0 is any", port, 8484)
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
      new Option("--format <format>", "a picture, a table as text, or the picture's parts and places")
        .choices(["mermaid", "svg", "table", "json"])
        .default("mermaid"),
    )
    .option("--full", "with the nested states, which all but mermaid always have")
    .addOption(
      new Option("--theme <theme>", "the colours of an svg; auto follows whoever looks at it")
        .choices(["auto", "light", "dark"])
        .default("auto"),
    )
    .action(async (flags: DiagramFlags) => {
      const { diagram } = await import("./commands/diagram.ts");
      io.stdout.write(await diagram(flags));
    });
}

const DATA_DIR = ["--data-dir <dir>", "where the journals lie", path.join(homedir(), ".signalbox")] as const;

const textOrJson = (): Option =>
  new Option("--format <format>", "for people or for programs").choices(["text", "json"]).default("text");

function addList(program: Command, io: Io): void {
  program
    .command("list")
    .description("list the tasks on disk, newest first (docs/history.md), or what there is to choose from")
    .addArgument(
      new Argument(
        "[what]",
        "tasks of all workspaces, sessions of this one; commands, modes, models",
      ).choices([...LISTS]),
    )
    .option("-w, --workspace <dir>", "only those of this workspace")
    .addOption(new Option("--all", "those of all workspaces, as without -w").conflicts("workspace"))
    .addOption(new Option("-e, --extension <path>", "of the frozen command; not heeded").hideHelp())
    .addOption(new Option("-k, --api-key <key>", "of the frozen command; not heeded").hideHelp())
    .addOption(new Option("-d, --debug", "of the frozen command; not heeded").hideHelp())
    .option("--limit <n>", "at most so many", count)
    .option(...DATA_DIR)
    .addOption(textOrJson())
    .action(async (what: (typeof LISTS)[number] | undefined, flags: ListFlags) => {
      io.stdout.write(await listed(what ?? "tasks", flags));
    });
}

const LISTS = ["tasks", "sessions", "commands", "modes", "models"] as const;

async function listed(what: (typeof LISTS)[number], flags: ListFlags): Promise<string> {
  switch (what) {
    case "tasks":
      return (await import("./commands/list.ts")).list(flags);
    case "sessions":
      return (await import("./commands/list.ts")).listSessions(flags);
    case "commands":
      return (await import("./commands/list-commands.ts")).listCommands(flags);
    case "modes":
      return (await import("./commands/list-modes.ts")).listModes(flags);
    case "models":
      return (await import("./commands/list-models.ts")).listModels(flags);
  }
}

function addShow(program: Command, io: Io): void {
  program
    .command("show")
    .description("show a task that is on disk: its rows, and how to go on")
    .argument("<id>", "the task, or the beginning of its id")
    .option("--seq", "with the numbers of the records, for fork --at")
    .option(
      "--at <seq>",
      "the record that the page opens at (default: the last)",
      recordFrom(0, "--seq shows them"),
    )
    .option(...DATA_DIR)
    .addOption(
      new Option("--format <format>", "for people, for programs, or the visual debugger as one file")
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
    .description("make a new task of the first records of another")
    .argument("<id>", "the task, or the beginning of its id")
    .option(
      "--at <seq>",
      "the last record that both share (default: the last)",
      recordFrom(1, "signalbox show ID --seq tells them"),
    )
    .option("--id <id>", "the new task's id (default: a new UUID)")
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
    .description("give a task a name")
    .argument("<id>", "the task, or the beginning of its id")
    .argument("<name>", 'its name; "" gives it back its prompt')
    .option(...DATA_DIR)
    .action(async (id: string, name: string, flags: RenameFlags) => {
      const { rename } = await import("./commands/rename.ts");
      io.stdout.write(await rename(id, name, flags));
    });
}

function addDelete(program: Command, io: Io, end: (code: number) => void): void {
  program
    .command("delete")
    .description("delete a task for good")
    .argument("<id>", "the task, or the beginning of its id")
    .option("-y, --yes", "without asking")
    .option("--recursive", "its subtasks too")
    .option(...DATA_DIR)
    .action(async (id: string, flags: DeleteFlags) => {
      const { deleteTask } = await import("./commands/delete.ts");
      end(await deleteTask(id, flags, io));
    });
}

function addImport(program: Command, io: Io): void {
  program
    .command("import")
    .description("take over a task's folder of Roo Code (docs/exchange.md)")
    .argument("<dir>", "the folder with ui_messages.json and api_conversation_history.json")
    .option("--id <id>", "the task's id here (default: a new UUID)")
    .option("-w, --workspace <dir>", "the folder that the task works in")
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
    .description("write a task as a folder of Roo Code (docs/exchange.md)")
    .argument("<id>", "the task's id")
    .argument("<dir>", "the folder to write to")
    .option("--force", "replace files that are there")
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
    .description("put the workspace's files back to a checkpoint of a task (docs/checkpoints.md)")
    .argument("<id>", "the task")
    .option(
      "--at <seq>",
      "the newest checkpoint up to this record; without it, the newest",
      recordFrom(0, "--list shows those of the checkpoints"),
    )
    .addOption(new Option("--to <checkpoint>", "a checkpoint by its name, to undo a restore").conflicts("at"))
    .option("--list", "list the task's checkpoints")
    .option("-y, --yes", "put the files back without asking")
    .option("--data-dir <dir>", "where the journals lie", path.join(homedir(), ".signalbox"))
    .action(async (id: string, flags: RestoreFlags) => {
      const { restore } = await import("./commands/restore.ts");
      end(await restore(id, flags, io));
    });
}

const EMITS = ["emitTest", "emitJournal", "emitDiagram", "emitPage"];
/** What only an exploration looks at. */
const EXPLORES = [
  ...["turns", "calls", "blocks", "queued", "interruptions", "crashes", "retries", "tools", "thinks"],
  ...["checkpoints", "maxStates", "law", "races", "everywhere", "machine"],
];

function addVerify(program: Command, io: Io, end: (code: number) => void): void {
  program
    .command("verify")
    .description("explore the task machine against the laws (docs/verification.md)")
    .option("--turns <n|any>", "requests that the model may answer", boundOrAny)
    .option("--calls <n>", "tool calls in one answer", bound)
    .option("--blocks <n>", "blocks in one answer, calls included", bound)
    .option("--queued <n|any>", "messages in the queue", boundOrAny)
    .option("--interruptions <n|any>", "cancels, and failures of the journal", boundOrAny)
    .option("--crashes <n|any>", "ends of the task's process", boundOrAny)
    .option("--retries <n>", "retries of a failed request before the user is asked", bound)
    .option("--tools <names>", "the tools that the model may call, separated by commas")
    .option("--thinks", "the model may think before it answers")
    .option("--checkpoints", "a snapshot is taken before the first call of a turn that may change files")
    .option("--max-states <n>", "cut an exploration here, and don't call that a failure", count)
    .option(
      "--law <id>",
      "only this law; may be given again",
      (id: string, others: readonly string[] = []) => [...others, id],
    )
    .addOption(new Option("--races", "print every two events that may meet, in both orders").conflicts(EMITS))
    .option("--everywhere", "with --races: at every state, and not at the first of each kind")
    .addOption(
      new Option(
        "--log <file>",
        "hold the laws of messages against a recorded log, instead of exploring",
      ).conflicts([...EXPLORES, ...EMITS]),
    )
    .option(
      "--machine <file>",
      "a module whose `machine` is explored: the shipped one with other actions or guards",
    )
    .option("--emit-test <file>", "write a counterexample as a test")
    .option("--emit-journal <file>", "write a counterexample as a journal")
    .option("--emit-diagram <file>", "write a counterexample as a mermaid sequence diagram")
    .option("--emit-page <file>", "write a counterexample as the visual debugger at its last transition")
    .addOption(textOrJson())
    .action(async (flags: VerifyFlags) => {
      const { verify } = await import("./commands/verify.ts");
      end(await verify(flags, io));
    });
}

function addSimulate(program: Command, io: Io, end: (code: number) => void): void {
  program
    .command("simulate")
    .description("live whole tasks on a simulated clock, with faults, under the laws (docs/simulation.md)")
    .option("--seed <n>", "the first task's seed; each further task has the next (default: 1)", seed)
    .option("--tasks <n>", "how many tasks (default: 1000, or as many as --for allows)", count)
    .option("--for <time>", "for how long: a number with ms, s, m or h")
    .option("--emit-test <file>", "write the first failure as a test")
    .option("--emit-journal <file>", "write the first failure as a journal")
    .option("--emit-diagram <file>", "write the first failure as a mermaid sequence diagram")
    .option("--emit-page <file>", "write the first failure as the visual debugger at its last transition")
    .addOption(textOrJson())
    .action(async (flags: SimulateFlags) => {
      const { simulateTasks } = await import("./commands/simulate.ts");
      end(await simulateTasks(flags, io));
    });
}

/** Commander's words, in our form; an option that there isn't names those that there are. */
function sayUsageError(text: string, command: Command): string {
  const said = text.replace(/^error: /, "[CLI] Error: ");
  return text.startsWith("error: unknown option") ? `${said}Options: ${optionsOf(command)}\n` : said;
}

function optionsOf(command: Command): string {
  return [...command.options.map(({ flags }) => flags.replace(/ <.*>$/, "")), "-h, --help"].join("; ");
}
