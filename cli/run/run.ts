import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { endErrorOf } from "../../machines/message/end-error.ts";
import { selectedModel } from "../../machines/task/profile.ts";
import { callsIn } from "../../machines/task/turn.ts";
import { createHost, type Host } from "../../runtime/host.ts";
import type { ModelSelector } from "../../runtime/options.ts";
import type { Task } from "../../runtime/task/task.ts";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import { fileJournal } from "../../store/journal/file.ts";
import { memoryJournal } from "../../store/journal/memory.ts";
import { taskFolder } from "../../store/task-history/task-folder.ts";
import { formatCommandLine } from "../command-line.ts";
import { createDataFolder } from "../data-folder.ts";
import { EXIT, errorMessage, formatCliError } from "../error.ts";
import type { Io } from "../io.ts";
import { printCompletion } from "../print/completion.ts";
import { EventPrinter } from "../print/event-printer.ts";
import { Printer } from "../print/printer.ts";
import { endedCalls, readSubtaskNames, type SubtaskNames } from "../show/subtask-names.ts";
import { withCliErrors } from "../store-error.ts";
import { runStream } from "../stream/stream.ts";
import type { NextTask } from "../terminal/next-task.ts";
import { Terminal } from "../terminal/terminal.ts";
import { type DebugLog, openDebugLog } from "./debug-log.ts";
import { closeHost, Exit, listenToSignals } from "./exit.ts";
import { formatConnecting, openMcp, warnOn } from "./mcp.ts";
import { openProvider } from "./provider.ts";
import { findSession, formatDropped, openSession } from "./session.ts";
import type { Leave, RunContext, RunModels, RunSettings } from "./settings.ts";
import { endWorktrees, inWorktree, removeUnused } from "./worktree.ts";

/** Run one task, and return the exit code. */
export async function run(settings: RunSettings, io: Io): Promise<number> {
  const resumed = settings.isEphemeral ? undefined : await findSession(settings);
  if (resumed !== undefined && settings.prompt === undefined && isPrinted(settings)) {
    // A completed task without a new prompt is only printed. Reading writes nothing.
    const task = await withCliErrors(() => openHistory({ dataDir: settings.dataDir }).read(resumed));
    const isUsable = task.heldBy === undefined && task.tail?.kind !== "damaged";
    if (task.isCompleted && isUsable) return await printCompletion(task, settings.outputMode, io);
  }
  // The terminal creates it once there is a prompt.
  if (!settings.isEphemeral && settings.outputMode !== "terminal") createDataFolder(settings.dataDir);
  const provider = openProvider(settings.model);
  const dataDir = settings.isEphemeral
    ? await mkdtemp(path.join(tmpdir(), "signalbox-"))
    : path.resolve(settings.dataDir);
  if (settings.outputMode === "terminal") io.stderr.write(formatConnecting(settings.mcp));
  const mcp = await openMcp(settings.mcp, settings.task.configDir, warnOn(io));
  const context = { dataDir, models: { ...provider.models, ...mcp.options }, resumed };
  try {
    if (settings.stdinStream) return await runStream(settings, io, context);
    const commands = mcp.commands(settings.commands);
    return await runTask({ ...settings, commands, mcpStates: () => mcp.states() }, io, context);
  } finally {
    await mcp.close();
    await provider.close();
    if (settings.isEphemeral) await rm(dataDir, { recursive: true, force: true });
  }
}

const isPrinted = ({ outputMode, stdinStream }: RunSettings): boolean =>
  outputMode !== "terminal" && !stdinStream;

/** Run a task, then each one that the user changes to, and return the exit code. */
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
  const parts = { host, models, dataDir, exit, io };
  let end = await runSession({ id: resumed }, settings, parts);
  while (end.kind === "changed") {
    const changed = { ...parts, models: changedModels(models, end.task) };
    end = await runSession(end.to, changedSettings(settings, end.task), changed);
  }
  if (settings.isEphemeral) return end.code;
  if (settings.outputMode === "terminal") printResumeHint(io, end.task, { ...settings, dataDir });
  if (end.debugLog !== undefined) io.stderr.write(`Debug log: ${end.debugLog}\n`);
  return end.code;
}

/** The parts that the tasks of a run share. */
interface RunParts {
  readonly host: Host;
  readonly models: RunModels;
  readonly dataDir: string;
  readonly exit: Exit;
  readonly io: Io;
}

type SessionEnd = {
  readonly task: Task;
  /** Its file. */
  readonly debugLog: string | undefined;
} & ({ readonly kind: "ended"; readonly code: number } | { readonly kind: "changed"; readonly to: NextTask });

/** Run one task until the run ends, or the user changes to another. */
async function runSession(
  { id, queued }: NextTask,
  given: RunSettings,
  { host, models, dataDir, exit, io }: RunParts,
): Promise<SessionEnd> {
  const settings = id === undefined ? await inWorktree(given, dataDir) : given;
  const task = await openSession(host, id, settings, models).catch(async (error: unknown) => {
    if (id === undefined) await removeUnused(settings, dataDir);
    throw error;
  });
  if (queued !== undefined) await unqueueFrom(task, queued);
  io.stderr.write(formatDropped(task));
  const log = settings.debug ? startDebugLog(task, taskFolder(dataDir, task.id), settings) : undefined;
  const names = await namesIn(task, settings, dataDir);
  const ui = createRunInterface(task, host, settings, io, exit.leave, names);
  const unlisten = listenToSignals(io, exit, () => ui.interrupt());
  ui.start();
  const next = await Promise.race(ui.next === undefined ? [exit.code] : [exit.code, ui.next]);
  await ui.close();
  const isWritten = await closeHost(host, io, typeof next === "number" ? undefined : task.id);
  unlisten();
  await log?.close();
  if (!settings.isEphemeral) io.stderr.write(await endWorktrees(task, dataDir));
  const ended = { task, debugLog: log?.file };
  if (!isWritten) return { ...ended, kind: "ended", code: EXIT.failed };
  return typeof next === "number"
    ? { ...ended, kind: "ended", code: next }
    : { ...ended, kind: "changed", to: next };
}

async function unqueueFrom(task: Task, first: number): Promise<void> {
  for (const { id } of task.snapshot.context.queue.slice(first)) task.unqueue(id);
  await task.flushed();
}

/** The settings of a task that the user changes to: without a prompt, in the current permission mode. A new task has the current mode. */
const changedSettings = (settings: RunSettings, { snapshot }: Task): RunSettings => ({
  ...settings,
  prompt: undefined,
  session: { kind: "new", id: undefined },
  mode: snapshot.context.mode,
  task: {
    ...settings.task,
    permissions: { ...settings.task.permissions, level: snapshot.context.permissions.mode },
  },
});

/** The models of a task that the user changes to: a new one has the model of the task before. */
function changedModels(given: RunModels, { snapshot }: Task): RunModels {
  const continued =
    (select: ModelSelector): ModelSelector =>
    (recorded) =>
      select(recorded ?? snapshot.context.standardModel);
  const { default: standard, named } = given.models;
  const others = Object.entries(named).map(
    ([name, model]) => [name, typeof model === "function" ? continued(model) : model] as const,
  );
  return {
    ...given,
    models: { ...given.models, default: continued(standard), named: Object.fromEntries(others) },
  };
}

interface RunInterface {
  /** Resolves with the task that the user changes to. */
  readonly next?: Promise<NextTask>;
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
  names: SubtaskNames,
): RunInterface {
  const { outputMode } = settings;
  if (outputMode === "terminal") return new Terminal(task, host, settings, io, leave, { names });
  if (outputMode === "text") return new Printer(task, host, settings, io, leave);
  return new EventPrinter(task, host, { ...settings, outputMode }, io, leave);
}

/** The names of the subtasks that a task had started before it was opened, for a terminal that shows their ends. */
async function namesIn(
  { id, log, snapshot: { context } }: Task,
  { isEphemeral, outputMode }: RunSettings,
  dataDir: string,
): Promise<SubtaskNames> {
  if (isEphemeral || outputMode !== "terminal") return new Map();
  const awaited = [...callsIn(context, "delegated"), ...context.backgroundSubtasks];
  const calls = [...endedCalls(log.toArray()), ...awaited.map(({ callId }) => callId)];
  return readSubtaskNames(fileJournal({ dir: taskFolder(dataDir, id) }), calls);
}

function startDebugLog(task: Task, folder: string, settings: RunSettings): DebugLog {
  const log = openDebugLog(folder, settings.secrets);
  log.write(`task ${task.id} in ${task.workspace}, model ${selectedModel(task.snapshot.context)?.id}`);
  task.events$.subscribe((shown) => log.commit(shown));
  return log;
}

/** The option that a resumed task needs again: the environment replaces the endpoint in its journal. */
const modelOptions = ({ baseURL }: RunSettings["model"]): readonly string[] =>
  baseURL === undefined ? [] : ["--base-url", baseURL];

function printResumeHint(
  io: Io,
  task: Task,
  { dataDir, model }: Pick<RunSettings, "dataDir" | "model">,
): void {
  // Without a prompt there was no task, and nothing was written.
  if (task.log.length === 0) return;
  const line = formatCommandLine(["run", "--session-id", task.id, ...modelOptions(model)], dataDir);
  // A task that its control protocol ended has no next request.
  if (endErrorOf(task.log)?.code !== "shut_down") io.stderr.write(`To resume: ${line}\n`);
  io.stderr.write(`Journal: ${path.join(taskFolder(dataDir, task.id), "journal.jsonl")}\n`);
}
