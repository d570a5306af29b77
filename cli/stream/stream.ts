import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { systemClock } from "../../actors/protocol/edge.ts";
import { JsonEventEmitter } from "../../client/roo/ndjson/json-event-emitter.ts";
import { createHost, type Host } from "../../runtime/host.ts";
import type { CommonTaskOptions } from "../../runtime/options.ts";
import type { Task } from "../../runtime/task/task.ts";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import { memoryJournal } from "../../store/journal/memory.ts";
import { askAPerson } from "../../tools/policy/rules.ts";
import { parseStdinStreamCommand, STDIN_COMMANDS, type StdinCommandOf } from "../../wire/ndjson/command.ts";
import { CliError, EXIT, errorMessage, formatCliError } from "../error.ts";
import type { Io } from "../io.ts";
import { closeHost, Exit, endOnSignal } from "../run/exit.ts";
import { formatDropped, openSession } from "../run/session.ts";
import type { RunContext, RunSettings } from "../run/settings.ts";
import { linesOf } from "./input-lines.ts";
import { RequestIds } from "./request-ids.ts";
import { StreamSession } from "./session.ts";

/** Run the commands on stdin one after another, and return the exit code. */
export async function runStream(settings: RunSettings, io: Io, context: RunContext): Promise<number> {
  assertWorkspace(settings.workspace ?? ".");
  const exit = new Exit();
  const signals = endOnSignal(io, exit);
  const ids = new RequestIds();
  const emitter = new JsonEventEmitter({
    mode: "stream-json",
    stdout: io.stdout,
    capabilities: CAPABILITIES,
    requestIdProvider: (event) => ids.of(event),
  });
  emitter.onBroken(({ code, message }) => {
    if (code === "OUTPUT_FULL") io.stderr.write(formatCliError(message));
    exit.leave(EXIT.failed);
  });
  const host = createHost({
    dataDir: context.dataDir,
    ...(settings.isEphemeral && { journal: () => memoryJournal() }),
    onError: (error) => session.fail(error),
  });
  const session: StreamSession = new StreamSession({
    host,
    emitter,
    ids,
    clock: systemClock,
    newId: randomUUID,
    create: (start, taskId) => createTask(host, start, taskId, settings, context),
    exitOnError: settings.exitOnError,
    withMessages: settings.withMessages,
    leave: exit.leave,
  });
  try {
    if (context.resumed !== undefined) {
      const task = await openSession(host, context.resumed, settings, context.models);
      io.stderr.write(formatDropped(task));
      emitter.begin();
      session.resume(task);
    }
    emitter.begin();
    void readCommands(io, session, emitter, exit);
    const code = await exit.code;
    session.close();
    io.stdin.destroy();
    const isWritten = await closeHost(host, io);
    await emitter.flushed();
    emitter.dispose();
    if (settings.signalOnlyExit) return await keepAlive(signals.code);
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
    // The input was closed by the end of the run.
    if (exit.isSet) return;
    emitter.emitError(errorMessage(error));
    exit.leave(EXIT.failed);
  }
}

async function createTask(
  host: Host,
  start: StdinCommandOf<"start">,
  taskId: string,
  settings: RunSettings,
  { dataDir, models }: RunContext,
): Promise<Task> {
  if (
    start.taskId !== undefined &&
    !settings.isEphemeral &&
    (await openHistory({ dataDir }).ids()).includes(taskId)
  )
    throw new CliError(
      `task ${taskId} already exists: expected a new id. To resume it: --session-id ${taskId}`,
    );
  const { mode } = settings;
  const options = { ...settings.task, ...models, ...(mode !== undefined && { mode }) };
  return host.create({
    ...applyConfiguration(options, start),
    id: taskId,
    workspace: settings.workspace ?? ".",
  });
}

function assertWorkspace(workspace: string): void {
  const stats = statSync(workspace, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) return;
  const what = stats === undefined ? "does not exist" : "is not a folder";
  throw new CliError(`the workspace ${path.resolve(workspace)} ${what}: expected a folder.`);
}

/** Resolves with the code. A signal listener does not keep the process alive, so a port does. */
async function keepAlive(code: Promise<number>): Promise<number> {
  const { port1: alive } = new MessageChannel();
  alive.ref();
  try {
    return await code;
  } finally {
    alive.close();
  }
}

/** The commands that a client may send: Roo Code's, and the added ones. */
const CAPABILITIES: readonly string[] = STDIN_COMMANDS.map((name) => `stdin:${name}`);

/** The settings of one task in a `start` command. Invalid and unknown fields are ignored. */
const configurationSchema = z.object({
  /** Initial mode of the task. */
  mode: z.string().trim().min(1).optional().catch(undefined),
  /** 0 disables the limit. */
  consecutiveMistakeLimit: z.int().min(0).optional().catch(undefined),
  /** `false`: the user is asked about every tool call. `true` allows no more than the command line does (L7). */
  autoApprovalEnabled: z.boolean().optional().catch(undefined),
});

/** Apply the configuration of a `start` command to the options of its task. */
export function applyConfiguration<T extends Pick<CommonTaskOptions, "mode" | "limits" | "permissions">>(
  options: T,
  { configuration = {} }: StdinCommandOf<"start">,
): T {
  const { mode, consecutiveMistakeLimit, autoApprovalEnabled } = configurationSchema.parse(configuration);
  return {
    ...options,
    ...(mode !== undefined && { mode }),
    ...(consecutiveMistakeLimit !== undefined && {
      limits: { ...options.limits, mistakes: consecutiveMistakeLimit },
    }),
    ...(autoApprovalEnabled === false && {
      permissions: { ...options.permissions, judge: askAPerson() },
    }),
  };
}
