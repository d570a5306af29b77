import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chown, mkdir, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { systemCode } from "../../store/files/system-code.ts";
import { CliError, errorMessage } from "../error.ts";
import { RestartedProcess } from "./restarted-process.ts";
import type { ServerUser } from "./server-user.ts";

const SUPERUSER = "signalbox";
/** The port is a part of the name of the socket. The server listens on no address. */
const PORT = 5432;
/** Limit of the path of a socket, in bytes: 104 on macOS, with the byte that ends it. */
const SOCKET_PATH_MAX = 103;
const READY = "database system is ready to accept connections";
/** A line of the server that is shown while it runs. */
const PROBLEM = / (?:WARNING|ERROR|FATAL|PANIC): /;
/** The last lines of the server that an error shows. */
const LINES_MAX = 10;
/** Time that a server of an earlier run gets to stop, in seconds. */
const STOP_S = 60;

/** Options of {@link PrivatePostgres.start}. */
export interface PrivatePostgresOptions {
  /** The folder of the database and its socket. It exists. */
  readonly folder: string;
  /** The folder of the server's programs. */
  readonly programs: string;
  /** The user that runs the server. Absent: the user of this process. */
  readonly user?: ServerUser;
  /** Maximum number of connections. */
  readonly connections: number;
  readonly env: NodeJS.ProcessEnv;
  /** Called with what the server reports while it runs. */
  readonly onLine: (line: string) => void;
}

/** The major version of PostgreSQL that created the database in a folder; undefined if there is none. */
export async function databaseVersion(folder: string): Promise<string | undefined> {
  try {
    return (await readFile(path.join(dataIn(folder), "PG_VERSION"), "utf8")).trim();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw new CliError(`can't read the database in ${folder}: ${errorMessage(error)}.`, { cause: error });
  }
}

const dataIn = (folder: string): string => path.join(folder, "data");
const socketsIn = (folder: string): string => path.join(folder, "run");

/**
 * A PostgreSQL server for one user of the machine. It listens on a socket in a folder that nobody else can open, so that
 * connections need no password. It is started again if it ends.
 */
export class PrivatePostgres {
  /** The URL of the database. */
  readonly url: string;
  readonly #process: RestartedProcess;

  private constructor(folder: string, server: RestartedProcess) {
    const host = encodeURIComponent(socketsIn(folder));
    this.url = `postgres:///postgres?host=${host}&port=${PORT}&user=${SUPERUSER}`;
    this.#process = server;
  }

  /**
   * Start the server, with a new database if the folder has none. A server of an earlier run that was killed is stopped before.
   *
   * @throws CliError with the last lines of the server
   */
  static async start(options: PrivatePostgresOptions): Promise<PrivatePostgres> {
    const { folder } = options;
    const socket = path.join(socketsIn(folder), `.s.PGSQL.${PORT}`);
    if (Buffer.byteLength(socket) > SOCKET_PATH_MAX)
      throw new CliError(
        `the path of the socket ${socket} has ${Buffer.byteLength(socket)} bytes: expected at most ${SOCKET_PATH_MAX}. Choose a folder with a shorter path with --folder.`,
      );
    await createPrivate(socketsIn(folder), options.user);
    if (existsSync(dataIn(folder))) await stopEarlier(options);
    else await createDatabase(options);
    return new PrivatePostgres(folder, await startServer(options));
  }

  /** Stop the server: its connections are closed. Resolves when it has ended. */
  stop(): Promise<void> {
    return this.#process.stop();
  }

  /** End the server at once. The next start recovers what was committed. */
  kill(): Promise<void> {
    return this.#process.stop("SIGQUIT");
  }
}

/** Create a folder that only the user of the server can open. */
async function createPrivate(folder: string, user: ServerUser | undefined): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (user !== undefined) await chown(folder, user.uid, user.gid);
}

/** Create the database beside its place, so that a process that dies leaves no part of one. */
async function createDatabase({ folder, programs, user, env }: PrivatePostgresOptions): Promise<void> {
  const draft = `${dataIn(folder)}.new`;
  await rm(draft, { recursive: true, force: true });
  await createPrivate(draft, user);
  const access = ["-U", SUPERUSER, "--auth-local=trust", "--auth-host=reject"];
  await execute([path.join(programs, "initdb"), "-D", draft, "-E", "UTF8", ...access], user, env);
  await rename(draft, dataIn(folder));
}

/** Stop the server of an earlier run, and remove its mark if another program has its process id by now. */
async function stopEarlier({ folder, programs, user, env }: PrivatePostgresOptions): Promise<void> {
  const data = dataIn(folder);
  const mark = path.join(data, "postmaster.pid");
  if (!existsSync(mark)) return;
  const pid = Number.parseInt(await readFile(mark, "utf8"), 10);
  if (!(await isServerOf(pid, data))) return rm(mark, { force: true });
  await execute(
    [path.join(programs, "pg_ctl"), "-D", data, "-w", "-t", String(STOP_S), "-m", "fast", "stop"],
    user,
    env,
  );
}

/** Whether a process runs that is the server of a data folder: its command line names the folder. */
async function isServerOf(pid: number, data: string): Promise<boolean> {
  if (!(pid > 0)) return false;
  const file = `/proc/${pid}/cmdline`;
  try {
    const commandLine = existsSync("/proc/self/cmdline")
      ? await readFile(file, "utf8")
      : (await promisify(execFile)("ps", ["-o", "args=", "-p", String(pid)])).stdout;
    return commandLine.includes(data);
  } catch (error) {
    // No such process: ps ends with 1.
    if (systemCode(error) === "ENOENT" || (error instanceof Error && "code" in error && error.code === 1))
      return false;
    throw new CliError(`can't see whether process ${pid} is the server of ${data}: ${errorMessage(error)}.`, {
      cause: error,
    });
  }
}

/** Start the server. Resolves once it accepts connections. */
async function startServer(options: PrivatePostgresOptions): Promise<RestartedProcess> {
  const { folder, onLine } = options;
  const lines: string[] = [];
  let isReady = false;
  return new Promise((resolve, reject) => {
    const server: RestartedProcess = new RestartedProcess({
      name: "postgres",
      // A fast shutdown.
      stopSignal: "SIGINT",
      start() {
        const child = spawnServer(options);
        child.once("error", ({ message }) => lines.push(message));
        child.once("close", () => {
          if (isReady) return;
          void server.stop();
          reject(
            new CliError(
              `PostgreSQL did not start in ${folder}:\n${lines.slice(-LINES_MAX).join("\n")}\nResolve what it reports, or choose another folder with --folder.`,
            ),
          );
        });
        return child;
      },
      onRestart(sentence) {
        if (isReady) onLine(sentence);
      },
      onLine(line) {
        if (!isReady) lines.push(line);
        else if (PROBLEM.test(line)) onLine(line);
        if (!line.includes(READY)) return;
        isReady = true;
        resolve(server);
      },
    });
  });
}

function spawnServer({ folder, programs, user, connections, env }: PrivatePostgresOptions): ChildProcess {
  // A list of folders: quotes keep a comma in a path.
  const sockets = `"${socketsIn(folder).replaceAll('"', '""')}"`;
  const settings = {
    listen_addresses: "",
    unix_socket_directories: sockets,
    port: PORT,
    max_connections: connections,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  return spawn(path.join(programs, "postgres"), ["-D", dataIn(folder), ...args], {
    ...asUser(user, env),
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Run a program to its end. @throws CliError with its output */
async function execute(
  [program = "", ...args]: readonly string[],
  user: ServerUser | undefined,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const child = spawn(program, args, { ...asUser(user, env), stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  const code = await new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode, signal) => resolve(exitCode ?? signal));
  }).catch((cause: unknown) => {
    throw new CliError(`can't run ${program}: ${errorMessage(cause)}.`, { cause });
  });
  if (code !== 0) throw new CliError(`${path.basename(program)} ended with ${code}:\n${output.trim()}`);
}

/** In a session of its own: Ctrl-C in the terminal does not reach it. Its messages are in English. */
function asUser(user: ServerUser | undefined, env: NodeJS.ProcessEnv) {
  return { ...user, cwd: "/", detached: true, env: { PATH: env.PATH, LC_ALL: "C" } };
}
