import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { runsOn } from "../../../cluster/node-version.ts";
import { program } from "../../support/program.ts";
import { signalbox } from "../in-process.ts";
import { ClusterRig, childrenOf, clusterNode, databaseOf, endOf, postgresOf, query } from "./cluster-rig.ts";

const OPEN = "server: Open http://127.0.0.1:";

test.skipIf(runsOn(process.versions.node))("an older version of Node is refused at the start", async () => {
  const { code, stderr } = await signalbox("cluster", "dev");
  expect(code).toBe(1);
  expect(stderr).toContain(`Expected Node 22.12 or later, found ${process.versions.node}.`);
});

describe.skipIf(clusterNode === undefined).concurrent("signalbox cluster dev", () => {
  let rig: ClusterRig;
  beforeAll(async () => {
    rig = new ClusterRig(await program(new URL("./stand-in.child.ts", import.meta.url)));
  });
  afterAll(() => rig.remove());

  /** Resolves when all processes of a cluster have reported. */
  async function started(folder: string, ...args: readonly string[]) {
    const cluster = rig.start(folder, ...args);
    await cluster.said("server: serve is process");
    await cluster.said("worker 1: worker is process");
    await cluster.said("worker 2: worker is process");
    return cluster;
  }

  test("starts a database with its tables, two workers and a server, and prints the address of the page", async () => {
    const cluster = await started(rig.folder());
    await cluster.said(OPEN);
    expect(cluster.stdout).toMatch(/^PostgreSQL \d+ in /);
    expect(await query(cluster, "SELECT count(*)::int AS n FROM signalbox.task")).toEqual([{ n: 0 }]);
    expect(cluster.stdout).not.toContain("worker 3");
  });

  test("passes the options of a task on to the workers and the server", async () => {
    const cluster = await started(
      rig.folder(),
      "--provider",
      "mock",
      "--workspace",
      "-w",
      "--no-checkpoints",
    );
    const options = `--workspace=-w --provider=mock --data-dir=${rig.dataDir} --no-checkpoints`;
    expect(cluster.stdout).toMatch(
      new RegExp(`worker 2: worker is process \\d+: --database ${options}$`, "m"),
    );
    expect(cluster.stdout).toMatch(
      new RegExp(`server: serve is process \\d+: --database --workers --port=0 ${options}$`, "m"),
    );
  });

  test.each(["SIGINT", "SIGTERM"] as const)(
    "%s stops the server, then the workers, then the database, and leaves no process",
    async (signal) => {
      const folder = rig.folder();
      const cluster = await started(folder);
      const pids = childrenOf(cluster);
      expect(pids).toContain(postgresOf(folder));
      expect(pids).toHaveLength(4);
      cluster.child.kill(signal);
      expect(await cluster.code).toBe(0);
      await endOf(pids);
      const ends = ["server: serve drained", "worker 1: worker drained", "worker 2: worker drained"];
      const [server = -1, ...workers] = ends.map((end) => cluster.stdout.indexOf(end));
      expect(server).toBeGreaterThan(0);
      for (const worker of workers) expect(worker).toBeGreaterThan(server);
      expect(cluster.stderr).toBe("");
    },
  );

  test("a second signal kills workers that do not end", async () => {
    const cluster = await started(rig.folder(), "--workspace", "stubborn");
    const pids = childrenOf(cluster);
    cluster.child.kill("SIGINT");
    await cluster.said("server: serve was asked to end");
    cluster.child.kill("SIGINT");
    expect(await cluster.code).toBe(130);
    await endOf(pids);
  });

  test("after it was killed, its workers and server end, and the next start has the same database", async () => {
    const folder = rig.folder();
    const first = await started(folder);
    await query(first, "CREATE TABLE kept AS SELECT 1 AS n");
    const postgres = postgresOf(folder);
    const others = childrenOf(first).filter((pid) => pid !== postgres);
    first.child.kill("SIGKILL");
    await first.code;
    await endOf(others);
    const second = await started(folder);
    await endOf([postgres]);
    expect(await query(second, "SELECT n FROM kept")).toEqual([{ n: 1 }]);
    second.child.kill("SIGINT");
    expect(await second.code).toBe(0);
  });

  test("a second signal while the database is created ends the command, and the next start creates it", async () => {
    const folder = rig.folder();
    const first = rig.start(folder);
    await vi.waitFor(() => readFileSync(path.join(folder, "lock")), { timeout: 120_000 });
    first.child.kill("SIGINT");
    // The system delivers two pending signals of one kind once.
    first.child.kill("SIGTERM");
    expect(await first.code).toBe(130);
    const second = await started(folder);
    await databaseOf(second);
  });

  test("a process that dies is started again after a second, and says so", async () => {
    const folder = rig.folder();
    const cluster = await started(folder);
    const [, worker] = /worker 1: worker is process (\d+)/.exec(cluster.stdout) ?? [];
    process.kill(Number(worker), "SIGKILL");
    await cluster.said("worker 1 ended (SIGKILL). It is started again in 1 s.");
    await cluster.said("worker 1: worker is process", 2);
    process.kill(postgresOf(folder), "SIGQUIT");
    await cluster.said("postgres: postgres ended (exit code");
    await databaseOf(cluster);
  });

  test.each([
    ["--profile", "missing"],
    ["--provider", "mock", "--script", "missing.yaml"],
  ])(
    "options that no worker starts with end it with the reason before a process starts: %s",
    async (...args) => {
      const folder = rig.folder();
      const cluster = rig.start(folder, ...args);
      expect(await cluster.code).toBe(1);
      expect(cluster.stderr).toContain("missing");
      expect(cluster.stdout).toBe("");
      expect(existsSync(folder)).toBe(false);
    },
  );

  test("a second one in the folder is refused with the process that uses it", async () => {
    const folder = rig.folder();
    const first = await started(folder);
    const second = rig.start(folder);
    expect(await second.code).toBe(1);
    expect(second.stderr).toContain(`which process ${first.child.pid} on host`);
    expect(second.stderr).toContain("choose another folder with --folder");
  });

  test("a database that can't be started is reported with what the server says", async () => {
    const folder = rig.folder();
    const first = await started(folder);
    first.child.kill("SIGINT");
    await first.code;
    appendFileSync(path.join(folder, "data/postgresql.conf"), "no_such_setting = 1\n");
    const second = rig.start(folder);
    expect(await second.code).toBe(1);
    expect(second.stderr).toContain(`PostgreSQL did not start in ${folder}:`);
    expect(second.stderr).toContain("no_such_setting");
  });

  test("a database of another version of PostgreSQL is refused", async () => {
    const folder = rig.folder();
    mkdirSync(path.join(folder, "data"), { recursive: true });
    writeFileSync(path.join(folder, "data/PG_VERSION"), "9\n");
    const cluster = rig.start(folder);
    expect(await cluster.code).toBe(1);
    expect(cluster.stderr).toContain("the database was created by PostgreSQL 9, which was not found (found ");
  });
});
