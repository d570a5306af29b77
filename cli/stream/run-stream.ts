import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import path from "node:path";
import { systemClock } from "../../actors/index.ts";
import { JsonEventEmitter } from "../../client/index.ts";
import { createHost, type Host, openHistory, type Task } from "../../runtime/index.ts";
import { memoryJournal } from "../../store/index.ts";
import { parseStdinStreamCommand, type StdinCommandOf } from "../../wire/index.ts";
import { CliError, sayCliError, wordsOf } from "../error.ts";
import { EXIT } from "../exit-code.ts";
import type { Io } from "../io.ts";
import {
  closeHost,
  Exit,
  openSession,
  type RunMeans,
  type RunSettings,
  sayDropped,
  taskOptions,
} from "../run/index.ts";
import { CAPABILITIES } from "./capabilities.ts";
import { linesOf } from "./lines.ts";
import { RequestIds } from "./request-ids.ts";
import { StreamSession } from "./session.ts";
import { withConfiguration } from "./start-options.ts";

/** Does what the lines of the input say, one after another, and gives the exit code. */
export async function runStream(settings: RunSettings, io: Io, means: RunMeans): Promise<number> {
  expectWorkspace(settings.workspace ?? ".");
  const exit = new Exit();
  const signals = new Signals(io, exit);
  const ids = new RequestIds();
  const emitter = new JsonEventEmitter({
    mode: "stream-json",
    stdout: io.stdout,
    capabilities: CAPABILITIES,
    requestIdProvider: (event) => ids.of(event),
  });
  emitter.onBroken(({ code, message }) => {
    if (code === "OUTPUT_FULL") io.stderr.write(sayCliError(message));
    exit.leave(EXIT.failed);
  });
  const host = createHost({
    dataDir: means.dataDir,
    ...(settings.isEphemeral && { journal: () => memoryJournal() }),
    onError: (error) => session.broken(error),
  });
  const session: StreamSession = new StreamSession({
    host,
    emitter,
    ids,
    clock: systemClock,
    newId: randomUUID,
    create: (start, taskId) => createTask(host, start, taskId, settings, means),
    exitOnError: settings.exitOnError,
    withMessages: settings.withMessages,
    leave: exit.leave,
  });
  try {
    if (means.resumed !== undefined) {
      const task = await openSession(host, means.resumed, settings, taskOptions(settings, means.model));
      io.stderr.write(sayDropped(task));
      emitter.begin();
      session.goOn(task);
    }
    emitter.begin();
    void readCommands(io, session, emitter, exit);
    const code = await exit.code;
    session.close();
    io.stdin.destroy();
    const isWritten = await closeHost(host, io);
    await emitter.flushed();
    emitter.dispose();
    if (settings.signalOnlyExit) return await signals.come();
    return isWritten ? code : EXIT.failed;
  } finally {
    signals.unlisten();
  }
}

async function readCommands(
  io: Io,
  session: StreamSession,
  emitter: JsonEventEmitter,
  exit: Exit,
): Promise<void> {
  try {
    for await (const { text, number } of linesOf(io.stdin)) {
      if (exit.isSet) return;
      await session.handle(parseStdinStreamCommand(text, number));
    }
    if (!exit.isSet) await session.inputEnded();
  } catch (error) {
    // The input was given up because the end has come.
    if (exit.isSet) return;
    emitter.emitError(wordsOf(error));
    exit.leave(EXIT.failed);
  }
}

async function createTask(
  host: Host,
  start: StdinCommandOf<"start">,
  taskId: string,
  settings: RunSettings,
  { dataDir, model }: RunMeans,
): Promise<Task> {
  if (
    start.taskId !== undefined &&
    !settings.isEphemeral &&
    (await openHistory({ dataDir }).ids()).includes(taskId)
  )
    throw new CliError(
      `there is a task ${taskId} already: expected a new id. To go on with it: --session-id ${taskId}`,
    );
  const { mode } = settings;
  const options = { ...taskOptions(settings, model), ...(mode !== undefined && { mode }) };
  return host.create({
    ...withConfiguration(options, start),
    id: taskId,
    workspace: settings.workspace ?? ".",
  });
}

function expectWorkspace(workspace: string): void {
  const stats = statSync(workspace, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) return;
  const what = stats === undefined ? "does not exist" : "is no folder";
  throw new CliError(`the workspace ${path.resolve(workspace)} ${what}: expected a folder.`);
}

/** A signal ends the run; another one, or one that nobody waits for, ends the process. */
class Signals {
  readonly #code: Promise<number>;
  readonly #io: Io;
  readonly #listeners: (readonly ["SIGINT" | "SIGTERM", () => void])[];

  constructor(io: Io, exit: Exit) {
    this.#io = io;
    const heard = new Exit();
    this.#code = heard.code;
    const listener = (code: number) => () => {
      if (heard.isSet) process.exit(code);
      heard.leave(code);
      exit.leave(code);
    };
    this.#listeners = [
      ["SIGINT", listener(EXIT.interrupted)],
      ["SIGTERM", listener(EXIT.terminated)],
    ];
    for (const [signal, listen] of this.#listeners) io.on(signal, listen);
  }

  /** Gives the exit code of the first signal. To listen for signals does not keep a process alive: a port does. */
  async come(): Promise<number> {
    const { port1: alive } = new MessageChannel();
    alive.ref();
    try {
      return await this.#code;
    } finally {
      alive.close();
    }
  }

  unlisten(): void {
    for (const [signal, listen] of this.#listeners) this.#io.off(signal, listen);
  }
}
