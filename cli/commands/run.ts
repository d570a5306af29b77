import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { memoryJournal } from "../../actors/index.ts";
import { createHost, type Task } from "../../client/index.ts";
import { CliError, sayCliError, wordsOf } from "../error.ts";
import { EXIT } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { Printer } from "../print/index.ts";
import { type DebugLog, type Leave, openDebugLog, openProvider, type RunSettings } from "../run/index.ts";
import { Terminal } from "../terminal/index.ts";

/** Runs one task from its prompt to its end, and gives the exit code. */
export async function run(settings: RunSettings, io: Io): Promise<number> {
  const provider = await openProvider(settings.provider, settings.model);
  const dataDir = settings.isEphemeral
    ? await mkdtemp(path.join(tmpdir(), "signalbox-"))
    : path.resolve(settings.dataDir);
  try {
    return await runTask(settings, io, dataDir, provider.model);
  } finally {
    await provider.close();
    if (settings.isEphemeral) await rm(dataDir, { recursive: true, force: true });
  }
}

type Model = Awaited<ReturnType<typeof openProvider>>["model"];

async function runTask(settings: RunSettings, io: Io, dataDir: string, model: Model): Promise<number> {
  const exit = new Exit();
  const host = createHost({
    dataDir,
    ...(settings.isEphemeral && { journal: () => memoryJournal() }),
    onError: (error, taskId) => {
      io.stderr.write(sayCliError(`task ${taskId} can't go on: ${wordsOf(error)}`));
      exit.leave(EXIT.failed);
    },
  });
  const task = await openTask(host, settings, model);
  const folder = path.join(dataDir, "tasks", task.id);
  const log = settings.debug ? startLog(task, folder, settings) : undefined;
  const front = frontOf(task, settings, io, exit.leave);
  const unlisten = listenToSignals(io, front, exit);
  front.start();
  const code = await exit.code;
  front.close();
  const isWritten = await closeTask(host, io);
  unlisten();
  if (settings.front === "terminal" && !settings.isEphemeral) sayWhereItLies(io, folder, log);
  await log?.close();
  return isWritten ? code : EXIT.failed;
}

async function openTask(
  host: ReturnType<typeof createHost>,
  settings: RunSettings,
  model: Model,
): Promise<Task> {
  const { workspace, policy, mistakes, exitOnError } = settings;
  try {
    return await host.create({
      model,
      workspace,
      policy,
      autoRetry: !exitOnError,
      ...(mistakes !== undefined && { limits: { mistakes } }),
    });
  } catch (error) {
    throw new CliError(`the workspace can't be used: ${wordsOf(error)}`, { cause: error });
  }
}

interface Front {
  start(): void;
  interrupt(): void;
  close(): void;
}

function frontOf(task: Task, settings: RunSettings, io: Io, leave: Leave): Front {
  return settings.front === "terminal"
    ? new Terminal(task, settings, io, leave)
    : new Printer(task, settings, io, leave);
}

/** The exit code, once somebody has set it. */
class Exit {
  readonly code: Promise<number>;
  #isSet = false;
  #resolve: (code: number) => void = () => {};

  constructor() {
    this.code = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get isSet(): boolean {
    return this.#isSet;
  }

  readonly leave: Leave = (code) => {
    this.#isSet = true;
    this.#resolve(code);
  };
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

async function closeTask(host: ReturnType<typeof createHost>, io: Io): Promise<boolean> {
  try {
    await host.closeAll();
    return true;
  } catch (error) {
    io.stderr.write(sayCliError(`the task's journal could not be written to its end: ${wordsOf(error)}`));
    return false;
  }
}

function startLog(task: Task, folder: string, settings: RunSettings): DebugLog {
  const log = openDebugLog(folder, settings.secrets);
  log.say(`task ${task.id} in ${task.workspace}, model ${settings.model}`);
  task.events$.subscribe((shown) => log.commit(shown));
  return log;
}

function sayWhereItLies(io: Io, folder: string, log: DebugLog | undefined): void {
  const file = path.join(folder, "journal.jsonl");
  io.stderr.write(`Journal: ${file}\n${log === undefined ? "" : `Debug log: ${log.file}\n`}`);
}
