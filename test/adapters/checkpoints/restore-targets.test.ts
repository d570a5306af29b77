import { execFileSync, spawnSync } from "node:child_process";
import { linkSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Checkpoints } from "../../../adapters/checkpoints/checkpoints.ts";
import { checkpointsOf, createFolders, done, type Folders, put } from "./tree.ts";

const canMount =
  process.getuid?.() === 0 && process.platform === "linux" && spawnSync("mount", ["--version"]).status === 0;

let here: Folders;
let checkpoints: Checkpoints;
const at = (name: string): string => path.join(here.workspace, name);
const content = (name: string): string => readFileSync(at(name), "utf8");

beforeEach(async () => {
  here = createFolders();
  checkpoints = await checkpointsOf(here);
});
afterEach(() => here.remove());

test("a restore writes a file with several hard links in place, and so does its undo", async () => {
  put(here.workspace, "a", "old", 0o755);
  put(here.workspace, "other", "1");
  linkSync(at("a"), path.join(here.dataDir, "outside-link"));
  const { hash } = done(await checkpoints.save());
  writeFileSync(at("a"), "new");
  writeFileSync(at("other"), "2");
  const { files, failed, undo } = done(await checkpoints.restore(hash));
  expect({ files, failed }).toMatchObject({ files: { changed: ["a", "other"] }, failed: [] });
  expect([content("a"), content("other")]).toEqual(["old", "1"]);
  expect(readFileSync(path.join(here.dataDir, "outside-link"), "utf8")).toBe("old");
  expect(statSync(at("a"))).toMatchObject({ nlink: 2 });
  expect(statSync(at("a")).mode & 0o777).toBe(0o755);
  expect(done(await checkpoints.restore(undo ?? "")).failed).toEqual([]);
  expect([content("a"), content("other")]).toEqual(["new", "2"]);
  expect(statSync(at("a")).nlink).toBe(2);
  expect(readdirSync(here.workspace).sort()).toEqual(["a", "other"]);
});

test.skipIf(!canMount)("a restore writes a mounted file in place (needs root)", async () => {
  put(here.workspace, "a", "old");
  put(here.workspace, "b", "1");
  const source = path.join(here.dataDir, "source");
  writeFileSync(source, "old");
  execFileSync("mount", ["--bind", source, at("a")]);
  try {
    const { hash } = done(await checkpoints.save());
    writeFileSync(at("a"), "new");
    writeFileSync(at("b"), "2");
    const { failed } = done(await checkpoints.restore(hash));
    expect(failed).toEqual([]);
    expect([content("a"), readFileSync(source, "utf8"), content("b")]).toEqual(["old", "old", "1"]);
  } finally {
    execFileSync("umount", [at("a")]);
  }
});

test.skipIf(!canMount)("a restore leaves a read-only file, and names it (needs root)", async () => {
  put(here.workspace, "a", "old");
  put(here.workspace, "b", "1");
  const { hash } = done(await checkpoints.save());
  writeFileSync(at("a"), "new");
  writeFileSync(at("b"), "2");
  execFileSync("mount", ["--bind", at("a"), at("a")]);
  try {
    execFileSync("mount", ["-o", "remount,ro,bind", at("a")]);
    const { leftAsIs, failed } = done(await checkpoints.restore(hash));
    expect({ leftAsIs, failed }).toEqual({ leftAsIs: [{ path: "a", why: "it is read-only" }], failed: [] });
    expect([content("a"), content("b")]).toEqual(["new", "1"]);
  } finally {
    execFileSync("umount", [at("a")]);
  }
});
