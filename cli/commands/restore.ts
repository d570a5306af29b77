import { stat } from "node:fs/promises";
import path from "node:path";
import { Option } from "commander";
import { type Checkpoints, openCheckpoints } from "../../adapters/checkpoints/checkpoints.ts";
import { RESTORE_LIMITS } from "../../adapters/checkpoints/limits.ts";
import { printable } from "../../client/printable/printable.ts";
import type { JournalDriver } from "../../ports/journal.ts";
import { readJournal } from "../../store/journal/reader.ts";
import { recordFrom } from "../arguments.ts";
import { confirm } from "../confirmation.ts";
import { CliError, EXIT } from "../error.ts";
import type { Io } from "../io.ts";
import { DATA_DIR } from "../options.ts";
import { checkpointsIn, type RecordedCheckpoint } from "../recorded-checkpoints.ts";
import { changesNothing, formatFailedRestore, formatRestore } from "../show/restore.ts";
import { addTaskStoreOptions, type TaskStore, type TaskStoreFlags, withTaskStore } from "../task-store.ts";
import type { Define } from "./command.ts";

interface RestoreFlags extends TaskStoreFlags {
  /** A record number: the newest checkpoint up to there. */
  readonly at?: number;
  /** A checkpoint by its name, as printed for undo. */
  readonly to?: string;
  readonly list?: true;
  readonly yes?: true;
  readonly dataDir: string;
}

export const define: Define = (command, { io, end }) => {
  command
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
    .option(...DATA_DIR);
  addTaskStoreOptions(command).action(async (id: string, flags: RestoreFlags) =>
    end(await withTaskStore(flags, io, (store) => restore(id, flags, { store, io }))),
  );
};

interface RecordedTask {
  readonly id: string;
  readonly workspace: string | undefined;
  readonly lastSeq: number;
  readonly checkpoints: readonly RecordedCheckpoint[];
}

/** Restore the files of a task's workspace to a checkpoint: show the changes, confirm, and print how to undo it. */
async function restore(
  given: string,
  flags: RestoreFlags,
  { store, io }: { readonly store: TaskStore; readonly io: Io },
): Promise<number> {
  const id = await store.history.find(given);
  const journal = store.journal(id);
  const task = await readTask(id, journal);
  if (flags.list === true) {
    io.stdout.write(formatCheckpoints(task));
    return EXIT.done;
  }
  const { hash, name } = chooseCheckpoint(task, flags);
  const checkpoints = await open(task, path.resolve(flags.dataDir), store);
  const diff = await checkpoints.diff(hash);
  if (!diff.ok) throw new CliError(`${name} can't be compared: ${diff.reason}`);
  io.stdout.write(printable(`${formatRestore(diff, name, task.workspace ?? "").join("\n")}\n`));
  if (!changesNothing(diff))
    io.stdout.write(printable(`\n${diff.text}${diff.text.endsWith("\n") ? "" : "\n"}`));
  if (changesNothing(diff)) return EXIT.done;
  const answer =
    flags.yes === true ? "yes" : await confirm("Restore these files?", "Check the diff, then add --yes.", io);
  if (answer === "interrupted") return EXIT.interrupted;
  if (answer === "no") {
    io.stdout.write("Nothing was changed.\n");
    return EXIT.done;
  }
  // A running task would write to the restored files, so the journal must not be owned by another process.
  await journal.own();
  try {
    // Printed before the first file is written, so that an interrupted restore can be undone as well.
    const onUndo = (undo: string): void => {
      const command = store.commandLine(["restore", id, "--to", undo]);
      io.stdout.write(`To undo this: ${printable(command)}\n`);
    };
    const done = await checkpoints.restore(hash, { present: diff.present, onUndo });
    if (!done.ok) throw new CliError(`${name} was not restored: ${done.reason}`);
    if (done.failed.length > 0) throw new CliError(formatFailedRestore(done));
    io.stdout.write(`Restored ${name}.\n`);
    return EXIT.done;
  } finally {
    await journal.close();
  }
}

async function readTask(id: string, journal: JournalDriver): Promise<RecordedTask> {
  let workspace: string | undefined;
  let lastSeq = 0;
  const checkpoints: RecordedCheckpoint[] = [];
  // The torn end of a journal contains no acknowledged checkpoint.
  for await (const record of readJournal(journal, { onTail: () => {} })) {
    lastSeq = record.seq;
    if (record.kind === "header") workspace = record.workspace;
    if (record.kind === "commit") checkpoints.push(...checkpointsIn(record));
  }
  return { id, workspace, lastSeq, checkpoints };
}

function formatCheckpoints({ id, checkpoints }: RecordedTask): string {
  if (checkpoints.length === 0) return `Task ${id} has no checkpoints.\n`;
  const lines = checkpoints.map(
    ({ seq, at, hash }) =>
      `${String(seq).padStart(6)}  ${new Date(at).toISOString()}  ${printable(hash.slice(0, 12))}`,
  );
  return `${["   seq  time                      checkpoint", ...lines].join("\n")}\n`;
}

function chooseCheckpoint(
  { id, checkpoints, lastSeq }: RecordedTask,
  { at, to }: RestoreFlags,
): { readonly hash: string; readonly name: string } {
  if (to !== undefined) return { hash: to, name: `checkpoint ${to.slice(0, 12)}` };
  const [first] = checkpoints;
  if (first === undefined)
    throw new CliError(`task ${id} has no checkpoints: it changed no files, or checkpoints were off.`);
  if (at !== undefined && at > lastSeq)
    throw new CliError(`--at ${at} is beyond the end of task ${id}: expected 0 to ${lastSeq}. See --list.`);
  const found = checkpoints.findLast(({ seq }) => at === undefined || seq <= at);
  if (found === undefined)
    throw new CliError(
      `task ${id} has no checkpoint up to record ${at}: the first is at ${first.seq}. See --list.`,
    );
  return {
    hash: found.hash,
    name: `the checkpoint of record ${found.seq} (${new Date(found.at).toISOString()})`,
  };
}

async function open(
  { id, workspace }: RecordedTask,
  dataDir: string,
  { objects }: Pick<TaskStore, "objects">,
): Promise<Checkpoints> {
  if (workspace === undefined)
    throw new CliError(`the journal of task ${id} names no workspace, so no files can be restored.`);
  const found = await stat(workspace).catch(() => undefined);
  if (found?.isDirectory() !== true)
    throw new CliError(
      `the workspace ${workspace} of task ${id} doesn't exist. Create the folder first; it may be empty.`,
    );
  const opened = await openCheckpoints({
    workspace,
    dataDir,
    limits: RESTORE_LIMITS,
    objects: objects?.(id),
  });
  if ("off" in opened) throw new CliError(opened.off);
  return opened;
}
