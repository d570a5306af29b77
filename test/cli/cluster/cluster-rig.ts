import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, vi } from "vitest";
import { node24 } from "../../../bench/harness/node24.ts";
import { Database } from "../../../store/postgres/database.ts";
import { hasPostgres } from "../../support/postgres.ts";
import { Process } from "../process.ts";

/** A Node that runs a cluster. Undefined: the tests are skipped. */
export const clusterNode = hasPostgres ? await node24().catch(() => undefined) : undefined;
if (hasPostgres && clusterNode === undefined)
  console.warn("The tests of `signalbox cluster dev` are skipped. npm could not install Node 24.");

/** Clusters of a test file, each in its own folder. */
export class ClusterRig {
  readonly #folder: string;
  readonly #entry: string;
  readonly #started: Process[] = [];
  #folders = 0;

  /** @param entry the program that has the command `cluster dev` */
  constructor(entry: string) {
    this.#entry = entry;
    this.#folder = mkdtempSync(path.join(tmpdir(), "signalbox-cluster-"));
    // Another user runs the server in place of root.
    chmodSync(this.#folder, 0o755);
  }

  /** The path of a new folder. */
  folder(): string {
    this.#folders += 1;
    return path.join(this.#folder, `${this.#folders}`);
  }

  /** `cluster dev` on a folder. */
  start(folder: string, ...args: readonly string[]): Process {
    const all = ["cluster", "dev", "--folder", folder, "--data-dir", this.dataDir, "--port", "0", ...args];
    const env = { TMPDIR: tmpdir() };
    const started = new Process(this.#entry, all, {
      env,
      ...(clusterNode !== undefined && { program: clusterNode }),
    });
    this.#started.push(started);
    return started;
  }

  get dataDir(): string {
    return path.join(this.#folder, "data");
  }

  /** End what still runs, and remove the folders. */
  async remove(): Promise<void> {
    for (const each of this.#started) each.child.kill("SIGINT");
    await Promise.all(this.#started.map(({ code }) => code));
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The ids of the processes that it started. */
export const childrenOf = ({ child }: Process): readonly number[] =>
  spawnSync("ps", ["-o", "pid=", "--ppid", String(child.pid)], { encoding: "utf8" })
    .stdout.split("\n")
    .filter((line) => line !== "")
    .map(Number);

/** The process id of the server of a folder. */
export const postgresOf = (folder: string): number =>
  Number.parseInt(readFileSync(path.join(folder, "data/postmaster.pid"), "utf8"), 10);

/** One that has ended may wait for its parent. */
const isAlive = (pid: number): boolean =>
  /^[^ZX]/.test(spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim());

/** Only what hangs takes longer, in ms. */
const HANGS_MS = 120_000;

/** Resolves when none of the processes runs. */
export const endOf = (pids: readonly number[]): Promise<void> =>
  vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), { timeout: HANGS_MS });

/** Resolves when the database of a running cluster accepts connections. */
export const databaseOf = (cluster: Process): Promise<unknown> =>
  vi.waitFor(() => query(cluster, "SELECT 1"), { timeout: HANGS_MS });

/** Execute a statement in the database of a running cluster. */
export async function query({ stdout }: Process, text: string): Promise<readonly unknown[]> {
  const [, url = ""] = /^Database (\S+)$/m.exec(stdout) ?? [];
  const database = await Database.open({ url });
  try {
    return (await database.query(text)).rows;
  } finally {
    await database.close();
  }
}
