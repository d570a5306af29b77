import { chmodSync, mkdirSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { clusterFolder, openClusterFolder } from "../../../cli/cluster/cluster-folder.ts";
import { PrivatePostgres } from "../../../cli/cluster/private-postgres.ts";
import { temporaryFolder } from "../process.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

test("the database is in the data directory", async () => {
  expect(await clusterFolder(folder.path, false)).toBe(path.join(folder.path, "cluster"));
});

test("a server that runs as another user has a folder for each data directory that is closed to it", async () => {
  const open = path.join(folder.path, "open");
  const closed = path.join(folder.path, "closed");
  mkdirSync(open, { mode: 0o755 });
  mkdirSync(closed, { mode: 0o700 });
  chmodSync(folder.path, 0o755);
  expect(await clusterFolder(open, true)).toBe(path.join(open, "cluster"));
  const other = await clusterFolder(closed, true);
  expect(other).toMatch(/^\/var\/lib\/signalbox\/cluster-[0-9a-f]{12}$/);
  expect(await clusterFolder(path.join(closed), true)).toBe(other);
  await expect(openClusterFolder(path.join(closed, "cluster"), true)).rejects.toThrow("closed to others");
});

test("a folder is used by one process at a time, which the refusal names", async () => {
  const first = await openClusterFolder(path.join(folder.path, "used"), false);
  await expect(openClusterFolder(first.path, false)).rejects.toThrow(`which process ${process.pid} on host`);
  await first.release();
  await (await openClusterFolder(first.path, false)).release();
});

test("a path that is too long for a socket is refused with the limit", async () => {
  const long = path.join(folder.path, "a".repeat(100));
  const options = { folder: long, programs: "", connections: 20, env: {}, onLine: () => {} };
  await expect(PrivatePostgres.start(options)).rejects.toThrow("expected at most 103");
});
