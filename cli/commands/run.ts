import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createHost, type Host, openHistory, type Task } from "../../runtime/index.ts";
import { memoryJournal, taskFolder } from "../../store/index.ts";
import { sayCliError, wordsOf } from "../error.ts";
import { EXIT } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { EventPrinter, Printer, sayComplete } from "../print/index.ts";
import {
  closeHost,
  commandLine,
  type DebugLog,
  Exit,
  type Leave,
  openDebugLog,
  openProvider,
  openSession,
  type RunMeans,
  type RunSettings,
  sayDropped,
  sessionId,
  taskOptions,
} from "../run/index.ts";
import { runStream } from "../stream/index.ts";
import { Terminal } from "../terminal/index.ts";
import { inWords } from "./history-error.ts";

/** Runs one task from its prompt to its end, and gives the exit code. */
export async function run(settings: RunSettings, io: Io): Promise<number> {
  const resumed = settings.isEphemeral ? undefined : await sessionId(settings);
  if (resumed !== undefined && settings.prompt === undefined && isPrinted(settings)) {
    // There is nothing to go on with, and looking writes nothing.
    const task = await inWords(() => openHistory({ dataDir: settings.dataDir }).read(resumed));
    const isUsable = task.heldBy === undefined && task.tail?.kind !== "damaged";
    if (task.isCompleted && isUsable) return await sayComplete(task, settings.front, io);
  }
  const provider = await openProvider(settings.provider, settings.model);
  const dataDir = settings.isEphemeral
    ? await mkdtemp(path.join(tmpdir(), "signalbox-"))
    : path.resolve(settings.dataDir);
  const means = { dataDir, model: provider.model, resumed };
  try {
    return await (settings.stdinStream ? runStream(settings, io, means) : runTask(settings, io, means));
  } finally {
    await provider.close();
    if (settings.isEphemeral) await rm(dataDir, { recursive: true, force: true });
  }
}

const isPrinted = ({ front, stdinStream }: RunSettings): boolean => front !== "terminal" && !stdinStream;

async function runTask(
  settings: RunSettings,
  io: Io,
  { dataDir, model, resumed }: RunMeans,
): Promise<number> {
  const exit = new Exit();
  const host = createHost({
    dataDir,
    ...(settings.isEphemeral && { journal: () => memoryJournal() }),
    onError: (error, taskId) => {
      io.stderr.write(sayCliError(`task ${taskId} can't go on: ${wordsOf(error)}`));
      exit.leave(EXIT.failed);
    },
  });
  const task = await openSession(host, resumed, settings, taskOptions(settings, model));
  io.stderr.write(sayDropped(task));
  const folder = taskFolder(dataDir, task.id);
  const log = settings.debug ? startLog(task, folder, settings) : undefined;
  const front = frontOf(task, host, settings, io, exit.leave);
  const unlisten = listenToSignals(io, front, exit);
  front.start();
  const code = await exit.code;
  await front.close();
  const isWritten = await closeHost(host, io);
  unlisten();
  if (settings.front === "terminal" && !settings.isEphemeral)
    sayWhereItLies(io, { task, dataDir, folder, log });
  await log?.close();
  return isWritten ? code : EXIT.failed;
}

interface Front {
  start(): void;
  interrupt(): void;
  /** Resolves when all that it said is written. */
  close(): void | Promise<void>;
}

function frontOf(task: Task, host: Host, settings: RunSettings, io: Io, leave: Leave): Front {
  const { front } = settings;
  if (front === "terminal") return new Terminal(task, host, settings, io, leave);
  if (front === "text") return new Printer(task, host, settings, io, leave);
  return new EventPrinter(task, host, { prompt: settings.prompt, mode: front }, io, leave);
}

function listenToSignals(io: Io, front: Front, exit: Exit): () => void {
  const onInterrupt = (): void => {
    // The task is being closed and somebody doesn't want to wait for what still runs.
    if (exit.isSet) process.exit(EXIT.interrupted);
    front.interrupt();
  };
  const onTerminate = (): void => exit.leave(EXIT.terminated);
  io.on("SIGINT", onInterrupt);
  io.on("SIGTERM", onTerminate);
  return () => {
    io.off("SIGINT", onInterrupt);
    io.off("SIGTERM", onTerminate);
  };
}

function startLog(task: Task, folder: string, settings: RunSettings): DebugLog {
  const log = openDebugLog(folder, settings.secrets);
  log.say(`task ${task.id} in ${task.workspace}, model ${settings.model}`);
  task.events$.subscribe((shown) => log.commit(shown));
  return log;
}

interface Ended {
  readonly task: Task;
  readonly dataDir: string;
  readonly folder: string;
  readonly log: DebugLog | undefined;
}

function sayWhereItLies(io: Io, { task, dataDir, folder, log }: Ended): void {
  // Without a prompt there was no task, and nothing was written.
  if (task.log.length > 0) {
    io.stderr.write(`To go on: ${commandLine(["run", "--session-id", task.id], dataDir)}\n`);
    io.stderr.write(`Journal: ${path.join(folder, "journal.jsonl")}\n`);
  }
  if (log !== undefined) io.stderr.write(`Debug log: ${log.file}\n`);
}
