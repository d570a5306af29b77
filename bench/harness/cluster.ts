import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { installedFolders } from "../../cli/cluster/server-programs.ts";

const run = promisify(execFile);

const [programs] = installedFolders(process.env.PATH);
/** The server refuses to run as root. */
const isRoot = process.getuid?.() === 0;
const USER = "postgres";

/** Whether PostgreSQL is installed. */
export const hasPostgres = programs !== undefined;

/** Run a program of the server as a user that may. */
async function execute(program: string, args: readonly string[]): Promise<void> {
  const file = path.join(programs ?? "", program);
  const [command = "", ...rest] = isRoot
    ? ["setpriv", `--reuid=${USER}`, "--init-groups", "--", file]
    : [file];
  await run(command, [...rest, ...args], { cwd: "/", env: { PATH: process.env.PATH, LC_ALL: "C" } });
}

/** A server of its own, on a socket in a temporary folder. Commits are durable: fsync is on. */
export class Cluster {
  readonly folder: string;
  /** The port names the socket's file. No one listens there. */
  readonly port = 5432;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** @param parent Where its folder is made. @param settings Further lines of its configuration. */
  static async start(parent: string = tmpdir(), settings: readonly string[] = []): Promise<Cluster> {
    const cluster = new Cluster(await mkdtemp(path.join(parent, "signalbox-postgres-")));
    if (isRoot) await run("chown", [USER, cluster.folder]);
    await chmod(cluster.folder, 0o755);
    await execute("initdb", ["-D", cluster.#data, "-U", USER, "-A", "trust", "-E", "UTF8", "--no-sync"]);
    const rules = path.join(cluster.#data, "pg_hba.conf");
    const trusted = await readFile(rules, "utf8");
    await writeFile(rules, `local all guarded scram-sha-256\n${trusted}`);
    await appendFile(
      path.join(cluster.#data, "postgresql.conf"),
      [
        "listen_addresses = ''",
        `unix_socket_directories = '${cluster.folder}'`,
        `port = ${cluster.port}`,
        "shared_buffers = 16MB",
        "fsync = on",
        ...settings,
        "",
      ].join("\n"),
    );
    await cluster.resume();
    return cluster;
  }

  get #data(): string {
    return path.join(this.folder, "data");
  }

  get socket(): string {
    return path.join(this.folder, `.s.PGSQL.${this.port}`);
  }

  url(database = USER, user = USER, password = ""): string {
    const secret = password === "" ? "" : `&password=${encodeURIComponent(password)}`;
    return `postgres:///${database}?host=${encodeURIComponent(this.folder)}&port=${this.port}&user=${user}${secret}`;
  }

  async stop(mode: "fast" | "immediate" = "fast"): Promise<void> {
    await execute("pg_ctl", ["-D", this.#data, "-w", "-m", mode, "stop"]);
  }

  async resume(): Promise<void> {
    await execute("pg_ctl", ["-D", this.#data, "-w", "-l", path.join(this.folder, "data/log"), "start"]);
  }

  /** The ids of the server's processes, which may have ended. Empty if it was stopped. */
  async processes(): Promise<readonly number[]> {
    const file = path.join(this.#data, "postmaster.pid");
    const [main = ""] = existsSync(file) ? (await readFile(file, "utf8")).split("\n") : [];
    if (main === "") return [];
    const children = await run("pgrep", ["-P", main]).catch(() => ({ stdout: "" }));
    return [main, ...children.stdout.split("\n").filter((line) => line !== "")].map(Number);
  }

  /** Make the server a replica that waits for a primary. */
  async becomeReplica(): Promise<void> {
    await writeFile(path.join(this.#data, "standby.signal"), "");
  }

  /** Stop the server and remove its files. */
  async remove(): Promise<void> {
    if (existsSync(path.join(this.#data, "postmaster.pid"))) await this.stop("immediate");
    await rm(this.folder, { recursive: true, force: true });
  }
}
