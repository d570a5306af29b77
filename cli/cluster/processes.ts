import { type ChildProcess, spawn } from "node:child_process";
import { printable } from "../../client/printable/printable.ts";
import type { Io } from "../io.ts";
import { RestartedProcess } from "./restarted-process.ts";

/** Ends the process as SIGTERM does when the process that started it has ended, however it ended. */
const END_WITH_PARENT =
  'data:text/javascript,process.once("disconnect",()=>process.kill(process.pid,"SIGTERM"));process.channel.unref()';

/** The processes of a cluster on this machine: commands of this program, whose output is shown with their names. */
export class ClusterProcesses {
  readonly #io: Io;
  readonly #env: NodeJS.ProcessEnv;
  readonly #server: RestartedProcess;
  readonly #workers: readonly RestartedProcess[];

  /**
   * Start the processes.
   *
   * @param databaseUrl the database, which is in the environment of the processes
   * @param options.task the options of a task
   */
  constructor(
    io: Io,
    databaseUrl: string,
    options: { readonly workers: number; readonly port: number; readonly task: readonly string[] },
  ) {
    const { workers, port, task } = options;
    this.#io = io;
    this.#env = { ...io.env, SIGNALBOX_DATABASE: databaseUrl };
    this.#workers = Array.from({ length: workers }, (_, index) =>
      this.#start(`worker ${index + 1}`, ["worker", "--database", ...task]),
    );
    this.#server = this.#start("server", ["serve", "--database", "--workers", `--port=${port}`, ...task]);
  }

  /** Stop the server, then the workers, which drain. */
  async stop(): Promise<void> {
    await this.#server.stop();
    await Promise.all(this.#workers.map((worker) => worker.stop()));
  }

  /** End all processes at once. */
  async kill(): Promise<void> {
    await Promise.all([this.#server, ...this.#workers].map((each) => each.stop("SIGKILL")));
  }

  #start(name: string, args: readonly string[]): RestartedProcess {
    const write = (text: string): void => {
      this.#io.stdout.write(`${printable(text)}\n`);
    };
    return new RestartedProcess({
      name,
      start: () => startCommand(args, this.#env),
      onLine: (line) => write(`${name}: ${line}`),
      onRestart: write,
    });
  }
}

/** Start a command of this program, in a session of its own: Ctrl-C in the terminal does not reach it. */
function startCommand(args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const [, entry = ""] = process.argv;
  return spawn(process.execPath, [...process.execArgv, "--import", END_WITH_PARENT, entry, ...args], {
    detached: true,
    env,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
}
