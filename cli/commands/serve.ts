import path from "node:path";
import type { Command } from "commander";
import { createHost } from "../../runtime/host.ts";
import type { ModelSelector } from "../../runtime/options.ts";
import { HostError } from "../../runtime/task/errors.ts";
import { createServer } from "../../server/server.ts";
import type { OpenRun, ServedVerification } from "../../server/services.ts";
import { messageLaws } from "../../verify/monitor/live.ts";
import type { SuiteReport } from "../../wire/http/suite.ts";
import { port as portNumber } from "../arguments.ts";
import { createDataFolder } from "../data-folder.ts";
import { CliError, EXIT, errorMessage, formatCliError } from "../error.ts";
import type { Io } from "../io.ts";
import { closeHost, Exit, listenToSignals } from "../run/exit.ts";
import { openMcp, warnOn } from "../run/mcp.ts";
import { openProvider } from "../run/provider.ts";
import type { RunModels, RunSettings } from "../run/settings.ts";
import { addTaskOptions, type TaskFlags } from "../settings/run-flags.ts";
import { readSettings } from "../settings/run-settings.ts";
import { addTaskStoreOptions, openTaskStore, type TaskStore, type TaskStoreFlags } from "../task-store.ts";
import type { Define } from "./command.ts";

/** Parsed flags of `serve`. */
export interface ServeFlags extends TaskFlags, TaskStoreFlags {
  readonly port: number;
  /** The address to listen on. */
  readonly host: string;
}

export const define: Define = (command, { io, end }) => {
  addTaskStoreOptions(addServeOptions(command, 8485)).action(async (flags: ServeFlags) =>
    end(await serve(flags, io)),
  );
};

/** Add the options of `serve` to a command. */
export function addServeOptions(command: Command, defaultPort: number): Command {
  command
    .option("--port <n>", "port to listen on; 0 picks a free one", portNumber, defaultPort)
    .option(
      "--host <address>",
      "address to listen on; the default is reachable from this machine only",
      "127.0.0.1",
    );
  return addTaskOptions(command);
}

/** The start of the page: a task, the table of all tasks, a measured control suite, or a verification. */
type PageTarget =
  | {
      readonly task: string;
      /** A record number. Absent: the end, following the task. */
      readonly at?: number;
    }
  | { readonly isTable: true }
  | { readonly suite: SuiteReport; readonly openRun: OpenRun }
  | { readonly verification: ServedVerification };

/**
 * Serve tasks, and the page opened at `target`, until a signal. Then every task is cancelled and settles.
 *
 * @throws CliError for conflicting flags, or if it can't listen on the port
 */
export async function serve(flags: ServeFlags, io: Io, target?: PageTarget): Promise<number> {
  const { port: _port, host: _host, database: _database, schema: _schema, ...shared } = flags;
  // Tasks can be looked at without a key.
  const settings = await readSettings(undefined, { ...shared, outputFormat: "text", tui: true }, io, false);
  const dataDir = path.resolve(settings.dataDir);
  createDataFolder(dataDir);
  const store = await openTaskStore(flags, dataDir, io);
  try {
    return await serveTasks(
      { ...settings, dataDir },
      { store, address: flags.host, port: flags.port, target },
      io,
    );
  } finally {
    await store.close();
  }
}

interface Serving {
  readonly store: TaskStore;
  readonly address: string;
  readonly port: number;
  readonly target: PageTarget | undefined;
}

async function serveTasks(
  settings: RunSettings,
  { store, address, port, target }: Serving,
  io: Io,
): Promise<number> {
  const provider = openProvider(settings.model);
  const mcp = await openMcp(settings.mcp, settings.task.configDir, warnOn(io));
  const report = (what: string, error: unknown): void => {
    io.stderr.write(formatCliError(`${what}: ${errorMessage(error)}`));
  };
  const host = createHost({
    dataDir: settings.dataDir,
    journal: store.journal,
    ...(store.objects && { objects: store.objects }),
    onError: (error, id) => report(`task ${id} failed`, error),
  });
  try {
    const server = await createServer({
      host,
      history: store.history,
      journal: store.journal,
      task: {
        ...settings.task,
        ...servedModels(provider.models),
        ...mcp.options,
        debugging: { laws: messageLaws },
      },
      workspace: path.resolve(settings.workspace ?? "."),
      ...(target !== undefined && ("suite" in target || "verification" in target) && target),
      port,
      address,
      onError: (error) => report("a request failed", error),
    }).catch((error: unknown) => {
      throw listenError(address, port, error);
    });
    const exit = new Exit();
    const unlisten = listenToSignals(io, exit);
    io.stdout.write(
      `Serving ${store.place}\nOpen ${server.pageUrl}${target === undefined ? "" : formatPageTarget(target)}\n`,
    );
    if (!isLoopback(address))
      io.stderr.write(
        `Warning: anyone who can reach ${address} and has the token can run commands on this machine.\n`,
      );
    const code = await exit.code;
    const isWritten = await closeHost(host, io);
    await server.close();
    unlisten();
    return isWritten ? code : EXIT.failed;
  } finally {
    await mcp.close();
    await provider.close();
  }
}

/** The models, which reject a task that they can't be used for: without a key, for one. */
function servedModels({ models, ...others }: RunModels): RunModels {
  const served =
    (select: ModelSelector): ModelSelector =>
    (recorded) => {
      try {
        return select(recorded);
      } catch (error) {
        throw error instanceof CliError ? new HostError("OPTION_INVALID", error.message, error) : error;
      }
    };
  const named = Object.entries(models.named).map(
    ([name, model]) => [name, typeof model === "function" ? served(model) : model] as const,
  );
  return {
    ...others,
    models: { ...models, default: served(models.default), named: Object.fromEntries(named) },
  };
}

function formatPageTarget(target: PageTarget): string {
  if ("suite" in target) return "&view=suite";
  if ("verification" in target) return "&view=verification";
  if ("isTable" in target) return "&view=tasks";
  return `&task=${encodeURIComponent(target.task)}${target.at === undefined ? "" : `&at=${target.at}`}`;
}

function listenError(address: string, port: number, error: unknown): CliError {
  const message = `can't listen on ${address}, port ${port}: ${errorMessage(error)}. Use another --port, or 0 for a free one.`;
  return new CliError(message, { cause: error });
}

const isLoopback = (address: string): boolean =>
  address === "localhost" || address === "::1" || address.startsWith("127.");
