import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { selectedModel } from "../../machines/task/index.ts";
import { createHost, type Host, openHistory, type Task } from "../../runtime/index.ts";
import { memoryJournal, taskFolder } from "../../store/index.ts";
import { EXIT, errorMessage, formatCliError } from "../error.ts";
import type { Io } from "../io.ts";
import { printCompletion } from "../print/completion.ts";
import { EventPrinter } from "../print/event-printer.ts";
import { Printer } from "../print/printer.ts";
import {
  closeHost,
  type DebugLog,
  Exit,
  findSession,
  formatCommandLine,
  formatDropped,
  type Leave,
  listenToSignals,
  openDebugLog,
  openProvider,
  openSession,
  type RunContext,
  type RunSettings,
  taskOptions,
} from "../run/index.ts";
import { withCliErrors } from "../store-error.ts";
import { runStream } from "../stream/stream.ts";
import { Terminal } from "../terminal/terminal.ts";

/** Run one task, and return the exit code. */
export async function run(settings: RunSettings, io: Io): Promise<number> {
  const resumed = settings.isEphemeral ? undefined : await findSession(settings);
  if (resumed !== undefined && settings.prompt === undefined && isPrinted(settings)) {
    // A completed task without a new prompt is only printed. Reading writes nothing.
    const task = await withCliErrors(() => openHistory({ dataDir: settings.dataDir }).read(resumed));
    const isUsable = task.heldBy === undefined && task.tail?.kind !== "damaged";
    if (task.isCompleted && isUsable) return await printCompletion(task, settings.outputMode, io);
  }
  const provider = await openProvider(settings.model);
  const dataDir = settings.isEphemeral
    ? await mkdtemp(path.join(tmpdir(), "signalbox-"))
    : path.resolve(settings.dataDir);
  const context = { dataDir, models: provider.models, resumed };
  try {
    return await (settings.stdinStream ? runStream(settings, io, context) : runTask(settings, io, context));
  } finally {
    await provider.close();
    if (settings.isEphemeral) await rm(dataDir, { recursive: true, force: true });
  }
}

const isPrinted = ({ outputMode, stdinStream }: RunSettings): boolean =>
  outputMode !== "terminal" && !stdinStream;

async function runTask(
  settings: RunSettings,
  io: Io,
  { dataDir, models, resumed }: RunContext,
): Promise<number> {
  const exit = new Exit();
  const host = createHost({
    dataDir,
    ...(settings.isEphemeral && { journal: () => memoryJournal() }),
    onError: (error, taskId) => {
      io.stderr.write(formatCliError(`task ${taskId} failed: ${errorMessage(error)}`));
      exit.leave(EXIT.failed);
    },
  });
  const task = await openSession(host, resumed, settings, taskOptions(settings, models));
  io.stderr.write(formatDropped(task));
  const log = settings.debug ? startDebugLog(task, taskFolder(dataDir, task.id), settings) : undefined;
  const ui = createRunInterface(task, host, settings, io, exit.leave);
  const unlisten = listenToSignals(io, exit, () => ui.interrupt());
  ui.start();
  const code = await exit.code;
  await ui.close();
  const isWritten = await closeHost(host, io);
  unlisten();
  if (settings.outputMode === "terminal" && !settings.isEphemeral) printResumeHint(io, task, dataDir);
  // Those of an ephemeral task are removed.
  if (log !== undefined && !settings.isEphemeral) io.stderr.write(`Debug log: ${log.file}\n`);
  await log?.close();
  return isWritten ? code : EXIT.failed;
}

interface RunInterface {
  start(): void;
  interrupt(): void;
  /** Resolves when all output is written. */
  close(): void | Promise<void>;
}

function createRunInterface(
  task: Task,
  host: Host,
  settings: RunSettings,
  io: Io,
  leave: Leave,
): RunInterface {
  const { outputMode } = settings;
  if (outputMode === "terminal") return new Terminal(task, host, settings, io, leave);
  if (outputMode === "text") return new Printer(task, host, settings, io, leave);
  const { prompt, followupTimeoutMs } = settings;
  return new EventPrinter(task, host, { prompt, followupTimeoutMs, mode: outputMode }, io, leave);
}

function startDebugLog(task: Task, folder: string, settings: RunSettings): DebugLog {
  const log = openDebugLog(folder, settings.secrets);
  log.write(`task ${task.id} in ${task.workspace}, model ${selectedModel(task.snapshot.context)?.id}`);
  task.events$.subscribe((shown) => log.commit(shown));
  return log;
}

function printResumeHint(io: Io, task: Task, dataDir: string): void {
  // Without a prompt there was no task, and nothing was written.
  if (task.log.length === 0) return;
  io.stderr.write(`To resume: ${formatCommandLine(["run", "--session-id", task.id], dataDir)}\n`);
  io.stderr.write(`Journal: ${path.join(taskFolder(dataDir, task.id), "journal.jsonl")}\n`);
}
