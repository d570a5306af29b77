import { execFile } from "node:child_process";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { Cluster } from "../../../bench/harness/cluster.ts";
import { Database } from "../../../store/postgres/database.ts";
import { migrate } from "../../../store/postgres/migrations.ts";
import { type MockServer, parseScript, startMock } from "../../../testing/index.ts";
import { FaultyProxy } from "./faulty-proxy.ts";
import type { StreamSource } from "./follower.ts";
import { script } from "./kinds.ts";
import { LimitedDisk } from "./limited-disk.ts";
import type { RunInput } from "./run-input.ts";
import { Supervised } from "./supervised.ts";
import type { WorkerInput } from "./worker-input.ts";

const run = promisify(execFile);

export const LEASE_MS = 6_000;
const DISK_MB = 512;
/** Few of them, so that a full disk is noticed soon. */
const SETTINGS = ["max_wal_size = 64MB", "min_wal_size = 32MB", "log_min_messages = panic"];
const RETRY_MS = 500;
const ADDRESS = /Open (\S+)\/#token=(\S+)/;

/** A server process that clients read streams from and send requests to. */
export interface ServerProcess extends StreamSource {
  readonly supervised: Supervised;
}

/** A database on a limited disk, a proxy before it, the mock model, and the processes of workers and servers. */
export class Site {
  readonly cluster: Cluster;
  readonly disk: LimitedDisk;
  readonly proxy: FaultyProxy;
  readonly mock: MockServer;
  readonly workers: readonly Supervised[];
  readonly servers: readonly ServerProcess[];
  readonly #input: RunInput;

  private constructor(
    input: RunInput,
    parts: Pick<Site, "cluster" | "disk" | "proxy" | "mock" | "workers" | "servers">,
  ) {
    this.#input = input;
    this.cluster = parts.cluster;
    this.disk = parts.disk;
    this.proxy = parts.proxy;
    this.mock = parts.mock;
    this.workers = parts.workers;
    this.servers = parts.servers;
  }

  /** Start all. `prepare` runs before the workers are started. */
  static async start(
    input: RunInput,
    prepare: (cluster: Cluster, mock: MockServer) => Promise<void>,
  ): Promise<Site> {
    const disk = await LimitedDisk.mount(DISK_MB);
    const cluster = await Cluster.start(disk.folder, SETTINGS);
    const database = await Database.open({ url: cluster.url() });
    await migrate(database, "signalbox");
    await database.close();
    const mock = await startMock(parseScript(script));
    await prepare(cluster, mock);
    const proxy = await FaultyProxy.start(cluster.socket);
    const errors = (name: string): string => path.join(input.folder, `${name}.log`);
    const worker: WorkerInput = {
      url: proxy.url,
      mock: mock.url,
      effects: path.join(input.folder, "effects.txt"),
      leaseMs: LEASE_MS,
      folder: input.folder,
    };
    const workers = Array.from(
      { length: input.workers },
      (_, n) =>
        new Supervised({ args: [input.worker, JSON.stringify(worker)], errors: errors(`worker-${n + 1}`) }),
    );
    const servers = Array.from({ length: input.servers }, (_, n) =>
      serverOf(input, proxy.url, errors(`server-${n + 1}`), path.join(input.folder, `data-${n + 1}`)),
    );
    return new Site(input, { cluster, disk, proxy, mock, workers, servers });
  }

  /** Kill all processes of the database. */
  async killDatabase(): Promise<void> {
    const processes = await this.cluster.processes();
    for (const id of processes) tryKill(id);
    while (processes.some(isAlive)) await pause(50);
  }

  /** Start the database unless it runs. */
  async startDatabase(): Promise<void> {
    for (;;) {
      try {
        const database = await Database.open({ url: this.cluster.url() });
        await database.query("SELECT 1");
        await database.close();
        return;
      } catch {
        await this.cluster.resume().catch(() => undefined);
        await pause(RETRY_MS);
      }
    }
  }

  /** Run `signalbox db migrate`, which must find the released version. */
  async migrate(): Promise<void> {
    await run(process.execPath, [this.#input.server, "db", "migrate", "--database", this.cluster.url()]);
  }

  /** Start a migration that fails after some seconds. */
  failingMigration(seconds: number): Promise<unknown> {
    return run(process.execPath, [this.#input.migration, this.cluster.url(), `${seconds}`], {
      // Killed in the middle, or ended by its own error.
      timeout: seconds * 1000 * 1.5,
      killSignal: "SIGKILL",
    }).catch(() => undefined);
  }

  /** End all processes. Returns the exit codes of the workers. */
  async endProcesses(): Promise<readonly (number | null)[]> {
    await Promise.all(this.servers.map(({ supervised }) => supervised.end("SIGKILL")));
    return Promise.all(this.workers.map((worker) => worker.end("SIGTERM")));
  }

  async remove(): Promise<void> {
    for (const worker of this.workers) await worker.end("SIGKILL");
    for (const server of this.servers) await server.supervised.end("SIGKILL");
    await this.proxy.close();
    await this.mock.close();
    await this.cluster.remove();
    await this.disk.remove();
  }
}

function serverOf(input: RunInput, url: string, errors: string, dataDir: string): ServerProcess {
  let address: StreamSource["address"];
  let output = "";
  const args = [
    input.server,
    "serve",
    "--database",
    "--workers",
    "--port",
    "0",
    "--data-dir",
    dataDir,
    "-w",
    input.folder,
  ];
  const supervised = new Supervised({
    args,
    errors,
    env: { ...process.env, SIGNALBOX_DATABASE: url },
    onOutput(text) {
      output += text;
      const [found, base = "", token = ""] = ADDRESS.exec(output) ?? [];
      if (found === undefined) return;
      output = "";
      address = { url: base, token };
    },
  });
  return {
    supervised,
    get address() {
      return supervised.isRunning ? address : undefined;
    },
  };
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch {
    return false;
  }
}

function tryKill(id: number): void {
  // It may have ended by itself.
  if (isAlive(id)) process.kill(id, "SIGKILL");
}
