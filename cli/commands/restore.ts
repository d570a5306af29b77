import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import {
  type CheckpointDiff,
  type Checkpoints,
  type LeftOut,
  openCheckpoints,
  type Restored,
} from "../../adapters/index.ts";
import { fileJournal, findTask, type JournalDriver, readJournal, taskFolder } from "../../store/index.ts";
import type { CommitRecord } from "../../wire/index.ts";
import { CliError } from "../error.ts";
import { EXIT } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { printable } from "../show/index.ts";
import { inWords } from "./history-error.ts";

export interface RestoreFlags {
  /** The number of a record: the newest checkpoint up to there. */
  readonly at?: number;
  /** A checkpoint by its name, as an undo has one. */
  readonly to?: string;
  readonly list?: true;
  readonly yes?: true;
  readonly dataDir: string;
}

/** A checkpoint, where the task's journal has it. */
interface Recorded {
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly hash: string;
}

interface RecordedTask {
  readonly id: string;
  readonly workspace: string | undefined;
  readonly lastSeq: number;
  readonly checkpoints: readonly Recorded[];
}

/** How many paths are named in a list. The diff has them all. */
const NAMED_MAX = 50;
/**
 * A person waits and can interrupt. And an agent that has filled the workspace, or the store, is a reason to go
 * back, not one that forbids it.
 */
const LIMITS = {
  timeoutMs: 600_000,
  maxFiles: 1_000_000,
  maxTotalBytes: 1_000_000_000_000,
  maxStoreBytes: 1_000_000_000_000,
};

/** Puts the files of a task's workspace back to a checkpoint: shows what changes, asks, and says how to undo it. */
export async function restore(given: string, flags: RestoreFlags, io: Io): Promise<number> {
  const dataDir = path.resolve(flags.dataDir);
  const id = await inWords(() => findTask(dataDir, given));
  const journal = fileJournal({ dir: taskFolder(dataDir, id) });
  const task = await inWords(() => readTask(id, journal));
  if (flags.list === true) {
    io.stdout.write(listOf(task));
    return EXIT.done;
  }
  const { hash, name } = chosen(task, flags);
  const checkpoints = await open(task, dataDir);
  const diff = await checkpoints.diff(hash);
  if (!diff.ok) throw new CliError(`${name} can't be compared: ${diff.reason}`);
  io.stdout.write(printable(sayDiff(diff, name, task.workspace ?? "")));
  if (isEmpty(diff)) return EXIT.done;
  const answer = flags.yes === true ? "yes" : await confirm(io);
  if (answer === "interrupted") return EXIT.interrupted;
  if (answer === "no") {
    io.stdout.write("Nothing was changed.\n");
    return EXIT.done;
  }
  // A task that runs would write among what is put back: it is refused while somebody else owns its journal.
  await inWords(() => journal.own());
  try {
    return await putBack(checkpoints, { hash, name, present: diff.present, undoOf: undoOf(id, flags) }, io);
  } finally {
    await journal.close();
  }
}

async function readTask(id: string, journal: JournalDriver): Promise<RecordedTask> {
  let workspace: string | undefined;
  let lastSeq = 0;
  const checkpoints: Recorded[] = [];
  // The end that a crash left half written holds no checkpoint that anything was done under.
  for await (const record of readJournal(journal, { onTail: () => {} })) {
    lastSeq = record.seq;
    if (record.kind === "header") workspace = record.workspace;
    if (record.kind === "commit") checkpoints.push(...checkpointsIn(record));
  }
  return { id, workspace, lastSeq, checkpoints };
}

function checkpointsIn({ seq, at, log }: CommitRecord): Recorded[] {
  const rows = log.flatMap((event) => {
    if (event.type === "message.appended") return [event.message];
    return event.type === "log.replaced" ? event.messages : [];
  });
  return rows.flatMap(({ say, text }) =>
    say === "checkpoint_saved" && text ? [{ seq, at, hash: text }] : [],
  );
}

function listOf({ id, checkpoints }: RecordedTask): string {
  if (checkpoints.length === 0) return `Task ${id} has no checkpoints.\n`;
  const lines = checkpoints.map(
    ({ seq, at, hash }) =>
      `${String(seq).padStart(6)}  ${new Date(at).toISOString()}  ${printable(hash.slice(0, 12))}`,
  );
  return `${["   seq  time                      checkpoint", ...lines].join("\n")}\n`;
}

function chosen(
  { id, checkpoints, lastSeq }: RecordedTask,
  { at, to }: RestoreFlags,
): { readonly hash: string; readonly name: string } {
  if (to !== undefined) return { hash: to, name: `checkpoint ${to.slice(0, 12)}` };
  const [first] = checkpoints;
  if (first === undefined)
    throw new CliError(`task ${id} has no checkpoints: it changed no files, or they were off.`);
  if (at !== undefined && at > lastSeq)
    throw new CliError(`--at ${at} lies beyond the end of task ${id}: expected 0 to ${lastSeq}. See --list.`);
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

async function open({ id, workspace }: RecordedTask, dataDir: string): Promise<Checkpoints> {
  if (workspace === undefined)
    throw new CliError(
      `the journal of task ${id} names no workspace: there is nothing to put files back to.`,
    );
  const found = await stat(workspace).catch(() => undefined);
  if (found?.isDirectory() !== true)
    throw new CliError(
      `the workspace ${workspace} of task ${id} is not there: expected the folder. Bring it back first; it may be empty.`,
    );
  const opened = await openCheckpoints({ workspace, dataDir, limits: LIMITS });
  if ("off" in opened) throw new CliError(opened.off);
  return opened;
}

const isEmpty = ({ files }: CheckpointDiff): boolean =>
  files.added.length + files.changed.length + files.removed.length === 0;

function sayDiff(diff: CheckpointDiff, name: string, workspace: string): string {
  const { files, leftAsIs, leftOut, text } = diff;
  const notes = [...sayLeft("Stays as it is", leftAsIs), ...sayLeft("The checkpoint doesn't have", leftOut)];
  if (isEmpty(diff)) return `${[`The files of ${workspace} are as in ${name}.`, ...notes].join("\n")}\n`;
  const lines = [
    `Back to ${name}, in ${workspace}:`,
    ...named(files.added.map((file) => `  + ${file}`)),
    ...named(files.changed.map((file) => `  ~ ${file}`)),
    ...named(files.removed.map((file) => `  - ${file}`)),
    `${count(files.added)} to come back (+), ${count(files.changed)} to change (~), ${count(files.removed)} to be removed (-).`,
    ...notes,
  ];
  return `${lines.join("\n")}\n\n${text.endsWith("\n") ? text : `${text}\n`}`;
}

const count = ({ length }: readonly string[]): string => `${length} ${length === 1 ? "file" : "files"}`;

const sayLeft = (what: string, left: readonly LeftOut[]): string[] =>
  named(left.map(({ path: file, why }) => `${what}: ${file} (${why})`));

function named(lines: readonly string[]): string[] {
  if (lines.length <= NAMED_MAX) return [...lines];
  return [...lines.slice(0, NAMED_MAX), `  (and ${lines.length - NAMED_MAX} more)`];
}

/** Only a person says yes; the end of the input, and anything else, is a no. */
async function confirm(io: Io): Promise<"yes" | "no" | "interrupted"> {
  if (io.stdin.isTTY !== true)
    throw new CliError(
      "there is nobody to ask whether to put these files back. Look at the diff, then add --yes.",
    );
  const lines = createInterface({ input: io.stdin, output: io.stdout, terminal: true });
  try {
    return await new Promise((resolve) => {
      lines.once("SIGINT", () => resolve("interrupted"));
      lines.once("close", () => resolve("no"));
      lines.question("Put these files back? [y/N] ", (line) =>
        resolve(/^(y|yes)$/i.test(line.trim()) ? "yes" : "no"),
      );
    });
  } finally {
    lines.close();
  }
}

/** The command line that goes back to an undo. */
const undoOf =
  (id: string, { dataDir }: RestoreFlags) =>
  (undo: string): string =>
    `signalbox restore ${id} --to ${undo}${dataDir === DEFAULT_DATA_DIR ? "" : ` --data-dir ${quoted(dataDir)}`}`;

const DEFAULT_DATA_DIR = path.join(homedir(), ".signalbox");
const quoted = (word: string): string =>
  /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

interface Goal {
  readonly hash: string;
  readonly name: string;
  readonly present: string;
  readonly undoOf: (undo: string) => string;
}

async function putBack(
  checkpoints: Checkpoints,
  { hash, name, present, undoOf }: Goal,
  io: Io,
): Promise<number> {
  // Told before the first file is written: who interrupts it can go back too.
  const onUndo = (undo: string): void => void io.stdout.write(`To undo this: ${printable(undoOf(undo))}\n`);
  const done = await checkpoints.restore(hash, { present, onUndo });
  if (!done.ok) throw new CliError(`${name} was not put back: ${done.reason}`);
  if (done.failed.length > 0) throw new CliError(sayFailed(done));
  io.stdout.write(`The files are as in ${name}.\n`);
  return EXIT.done;
}

const sayFailed = ({ failed }: Restored): string =>
  printable(
    [
      "not all files could be put back. Check the rights and the disk, then do it again:",
      ...named(failed.map(({ path: file, why }) => `  ${file}: ${why}`)),
    ].join("\n"),
  );
