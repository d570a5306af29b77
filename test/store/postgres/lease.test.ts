import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { anthropic } from "../../../adapters/index.ts";
import { createHost } from "../../../runtime/host.ts";
import { parseScript, startMock } from "../../../testing/index.ts";
import { allowEverything } from "../../../tools/index.ts";
import { hasPostgres, LONG_LEASE_MS } from "../../support/postgres.ts";
import { contentOf, readAll } from "../../testing/conformance.ts";
import { LosingProxy } from "./losing-proxy.ts";
import { PostgresRig } from "./rig.ts";

const LEASE_MS = 2_000;
const PATIENCE = { timeout: 30_000 };
/** Counts its runs, then runs until it is terminated or there is a file `go`. */
const COMMAND =
  "echo ran >> ran.txt; echo $$ > pid; until test -e go; do sleep 0.05; done; echo ended >> ended.txt";
const SCRIPT = JSON.stringify([
  { tool: "execute_command", input: { command: COMMAND } },
  { tool: "attempt_completion", input: { result: "Done." } },
]);

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe.skipIf(!hasPostgres)("a task whose host loses its connection to PostgreSQL", () => {
  let rig: PostgresRig;
  beforeAll(async () => {
    rig = await PostgresRig.start();
  });
  afterAll(() => rig.remove());

  /** A task that runs a command, in a host behind a proxy. */
  async function running(leaseMs: number) {
    const dir = await mkdtemp(path.join(tmpdir(), "postgres-lease-"));
    const proxy = await LosingProxy.start(rig.cluster);
    const mock = await startMock(parseScript(SCRIPT));
    const id = rig.newTask();
    const options = {
      model: anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: mock.url }),
      permissions: { judge: allowEverything() },
    };
    const hostOf = async (url?: string) => {
      const store = await rig.store(undefined, url, leaseMs);
      return { host: createHost({ journal: store.journal, dataDir: path.join(dir, "data") }), store };
    };
    const first = await hostOf(proxy.url);
    const task = await first.host.create({ ...options, id, workspace: dir });
    const run = task.run("Go");
    const read = (name: string): Promise<string> => readFile(path.join(dir, name), "utf8").catch(() => "");
    await expect.poll(() => read("pid"), PATIENCE).toMatch(/\n$/);
    return {
      dir,
      proxy,
      task,
      run,
      read,
      pid: Number(await read("pid")),
      host: first.host,
      journal: first.store.journal(id),
      open: async (host = first.host) => host.open(id, options),
      hostOf,
      [Symbol.asyncDispose]: async () => {
        await proxy.close();
        await mock.close();
        await rm(dir, { recursive: true, force: true });
      },
    };
  }

  test("goes on to its end if the connection returns before the lease ends", async () => {
    await using a = await running(LONG_LEASE_MS);
    a.proxy.interrupt();
    a.proxy.restore();
    await writeFile(path.join(a.dir, "go"), "");
    expect(await a.run).toMatchObject({ state: "idle", result: "Done." });
    expect([await a.read("ran.txt"), await a.read("ended.txt")]).toEqual(["ran\n", "ended\n"]);
    await a.host.closeAll();
    expect((await readAll(a.journal)).tails).toEqual([]);
  });

  test("stops its command before another host can open it, and writes nothing after that", async () => {
    await using a = await running(LEASE_MS);
    const b = await a.hostOf();
    const failed = expect(a.run).rejects.toMatchObject({ code: "JOURNAL_LOCKED" });
    await expect(a.open(b.host)).rejects.toMatchObject({ code: "JOURNAL_LOCKED" });
    a.proxy.interrupt();
    const task = await vi.waitFor(() => a.open(b.host), PATIENCE);
    expect({ isRunning: isRunning(a.pid), state: a.task.state.state }).toEqual({
      isRunning: false,
      state: "resumable",
    });
    await failed;
    expect(await task.run("Go on")).toMatchObject({ state: "idle", result: "Done." });
    expect([await a.read("ran.txt"), await a.read("ended.txt")]).toEqual(["ran\n", ""]);
    const written = await contentOf(b.store.journal(a.task.id));
    expect(String(written)).toContain("uncertain");

    a.proxy.restore();
    await expect(a.task.run("Go on")).rejects.toMatchObject({ code: "JOURNAL_LOCKED" });
    expect(a.task.state.state).toBe("resumable");
    await expect(a.host.closeAll()).rejects.toMatchObject({ code: "JOURNAL_LOCKED" });
    expect(String(await contentOf(b.store.journal(a.task.id)))).toBe(String(written));
    await b.host.closeAll();
    const c = await a.hostOf();
    const replayed = await a.open(c.host);
    // Opening a completed task only asks about its last message again.
    const before = task.log.toArray().slice(0, -1);
    expect(replayed.log.toArray().slice(0, before.length)).toEqual(before);
    expect(before.map(({ text }) => text)).toContain("Done.");
    await c.host.closeAll();
  });

  test("is continued by the same host after a lost lease if no other host opened it", async () => {
    await using a = await running(LEASE_MS);
    const failed = expect(a.run).rejects.toMatchObject({ code: "JOURNAL_LOCKED" });
    a.proxy.interrupt();
    await expect.poll(() => a.task.state.state, PATIENCE).toBe("resumable");
    await expect.poll(() => isRunning(a.pid), PATIENCE).toBe(false);
    await failed;
    // The old lease ends by the clock of the database, after the effects have stopped.
    await expect.poll(() => rig.hasLease(a.task.id), PATIENCE).toBe(false);
    a.proxy.restore();
    expect(await a.task.run("Go on")).toMatchObject({ state: "idle", result: "Done." });
    expect([await a.read("ran.txt"), await a.read("ended.txt")]).toEqual(["ran\n", ""]);
    await a.host.closeAll();
    const { tails, seqs } = await readAll(a.journal);
    expect(tails).toEqual([]);
    expect(seqs).toEqual([...seqs.keys()]);
  });
});
