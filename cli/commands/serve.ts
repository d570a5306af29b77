import path from "node:path";
import { createHost, openHistory } from "../../runtime/index.ts";
import { createServer, fileJournals } from "../../server/index.ts";
import { messageLaws } from "../../verify/index.ts";
import { CliError, sayCliError, wordsOf } from "../error.ts";
import { EXIT } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { closeHost, Exit, openProvider, taskOptions } from "../run/index.ts";
import type { RunFlags } from "./run-flags.ts";
import { settingsOf } from "./settings.ts";

/** What commander makes of the command line: of the flags of `run`, those that are about every task. */
export interface ServeFlags
  extends Pick<
    RunFlags,
    | "workspace"
    | "yes"
    | "requireApproval"
    | "model"
    | "baseUrl"
    | "apiKey"
    | "provider"
    | "script"
    | "reasoningEffort"
    | "dataDir"
    | "consecutiveMistakeLimit"
    | "checkpoints"
  > {
  readonly port: number;
  /** The address that it listens on. */
  readonly host: string;
}

/** What the page shows first. */
export interface Shown {
  readonly task: string;
  /** A place in its trace. Absent: the end, and on with it. */
  readonly at?: number;
}

/**
 * Serves tasks, and the page with the task `shown`, until a signal comes. Then every task is brought to rest, its clients
 * see that, and the process ends.
 *
 * @throws CliError where the flags don't go together, there is no key, or it can't listen there
 */
export async function serve(flags: ServeFlags, io: Io, shown?: Shown): Promise<number> {
  const { port, host: address, ...shared } = flags;
  const settings = await settingsOf(undefined, { ...shared, outputFormat: "text", tui: true }, io);
  const provider = await openProvider(settings.provider, settings.model);
  const dataDir = path.resolve(settings.dataDir);
  const tell = (what: string, error: unknown): void => {
    io.stderr.write(sayCliError(`${what}: ${wordsOf(error)}`));
  };
  const host = createHost({ dataDir, onError: (error, id) => tell(`task ${id} can't go on`, error) });
  try {
    const server = await createServer({
      host,
      history: openHistory({ dataDir }),
      journal: fileJournals(dataDir),
      task: { ...taskOptions(settings, provider.model), laws: messageLaws },
      workspace: path.resolve(settings.workspace ?? "."),
      port,
      address,
      onError: (error) => tell("a request failed", error),
    }).catch((error: unknown) => {
      throw cantListen(address, port, error);
    });
    const exit = new Exit();
    const unlisten = listenToSignals(io, exit);
    io.stdout.write(
      `Serving ${dataDir}\nOpen ${server.pageUrl}${shown === undefined ? "" : bookmarkOf(shown)}\n`,
    );
    if (!isLoopback(address))
      io.stderr.write(
        `Everybody who reaches ${address} and has the token can run commands on this machine.\n`,
      );
    const code = await exit.code;
    const isWritten = await closeHost(host, io);
    await server.close();
    unlisten();
    return isWritten ? code : EXIT.failed;
  } finally {
    await provider.close();
  }
}

const bookmarkOf = ({ task, at }: Shown): string =>
  `&task=${encodeURIComponent(task)}${at === undefined ? "" : `&at=${at}`}`;

function cantListen(address: string, port: number, error: unknown): CliError {
  const message = `no server on ${address}, port ${port}: ${wordsOf(error)}. Choose another --port, or 0 for any.`;
  return new CliError(message, { cause: error });
}

function listenToSignals(io: Io, exit: Exit): () => void {
  const onInterrupt = (): void => {
    // The tasks are being closed and somebody doesn't want to wait for what still runs.
    if (exit.isSet) process.exit(EXIT.interrupted);
    exit.leave(EXIT.interrupted);
  };
  const onTerminate = (): void => exit.leave(EXIT.terminated);
  io.on("SIGINT", onInterrupt);
  io.on("SIGTERM", onTerminate);
  return () => {
    io.off("SIGINT", onInterrupt);
    io.off("SIGTERM", onTerminate);
  };
}

const isLoopback = (address: string): boolean =>
  address === "localhost" || address === "::1" || address.startsWith("127.");
