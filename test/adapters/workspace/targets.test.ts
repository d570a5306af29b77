// cspell:words setpriv reuid regid tmpfs
import { execFile, execFileSync, spawnSync } from "node:child_process";
import {
  chmod,
  chown,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";
import type { Workspace } from "../../../tools/index.ts";
import { program } from "../../support/program.ts";

const IS_ROOT = process.getuid?.() === 0;
/** Mounts need root, and a system that permits them. */
const canMount = IS_ROOT && process.platform === "linux" && spawnSync("mount", ["--version"]).status === 0;
/** A process of a plain user: this one, or one that setpriv starts. */
const canBePlainUser = !IS_ROOT || spawnSync("setpriv", ["--version"]).status === 0;
const PLAIN_ID = 65_534;

let root: string;
let workspace: Workspace;
const mounts: string[] = [];
const at = (name: string): string => path.join(root, name);
const content = (name: string): Promise<string> => readFile(at(name), "utf8");

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), "targets-")));
  await chmod(root, 0o755);
  workspace = await openWorkspace(root);
});
afterEach(async () => {
  for (const mount of mounts.splice(0)) execFileSync("umount", [mount]);
  await rm(root, { recursive: true, force: true });
});

function mount(...args: readonly string[]): void {
  execFileSync("mount", args);
  mounts.push(args.at(-1) ?? "");
}

async function asPlainUser(name: string, ...text: readonly string[]): Promise<string> {
  const child = await program(new URL("./write-once.child.ts", import.meta.url));
  const command = [process.execPath, child, root, name, ...text];
  const [executable = "", ...args] = IS_ROOT
    ? ["setpriv", `--reuid=${PLAIN_ID}`, `--regid=${PLAIN_ID}`, "--clear-groups", ...command]
    : command;
  const { stdout } = await promisify(execFile)(executable, args, { env: { PATH: process.env.PATH } });
  return stdout;
}
const giveToPlainUser = async (name: string): Promise<void> => {
  if (IS_ROOT) await chown(at(name), PLAIN_ID, PLAIN_ID);
};

describe("a file with several hard links", () => {
  test("is written in place, so that all of them have the new content", async () => {
    await writeFile(at("a"), "old, and longer than the new one");
    await chmod(at("a"), 0o640);
    await link(at("a"), at("b"));
    expect(await workspace.write("a", "new")).toEqual({ created: false });
    expect(await content("b")).toBe("new");
    expect((await stat(at("b"))).nlink).toBe(2);
    expect((await stat(at("a"))).mode & 0o777).toBe(0o640);
    await workspace.write("b", "new, and longer than before");
    expect(await content("a")).toBe("new, and longer than before");
    expect((await readdir(root)).sort()).toEqual(["a", "b"]);
  });

  test("loses only the name that is removed", async () => {
    await writeFile(at("a"), "text");
    await link(at("a"), at("b"));
    await workspace.remove("a");
    expect(await content("b")).toBe("text");
  });
});

describe.skipIf(!canMount)("on a mount (needs root)", () => {
  test("a mounted file is written in place", async () => {
    await writeFile(at("source"), "old");
    await writeFile(at("mounted"), "");
    mount("--bind", at("source"), at("mounted"));
    await workspace.write("mounted", "new");
    expect(await content("source")).toBe("new");
    expect((await readdir(root)).sort()).toEqual(["mounted", "source"]);
  });

  test("a file that is mounted read-only is refused by name", async () => {
    await writeFile(at("source"), "old");
    await writeFile(at("mounted"), "");
    mount("--bind", at("source"), at("mounted"));
    execFileSync("mount", ["-o", "remount,ro,bind", at("mounted")]);
    await expect(workspace.write("mounted", "new")).rejects.toMatchObject({
      code: "READ_ONLY",
      message: expect.stringContaining("'mounted' is read-only"),
    });
    expect(await content("source")).toBe("old");
  });

  test.each(["a file", "a file with several hard links"])(
    "a full disk leaves the old content of %s",
    async (kind) => {
      await mkdir(at("small"));
      mount("-t", "tmpfs", "-o", "size=256k", "tmpfs", at("small"));
      await writeFile(at("small/a"), "o".repeat(100_000));
      if (kind !== "a file") await link(at("small/a"), at("small/b"));
      await expect(workspace.write("small/a", "n".repeat(400_000))).rejects.toMatchObject({
        code: "FAILED",
        message: expect.stringContaining("'small/a' was not written: the disk is full"),
      });
      expect(await content("small/a")).toBe("o".repeat(100_000));
      expect((await readdir(at("small"))).filter((name) => name.startsWith("."))).toEqual([]);
    },
  );
});

describe.skipIf(!canBePlainUser)("a plain user (needs setpriv for root)", () => {
  test("is refused a read-only file by name, and it stays", async () => {
    await giveToPlainUser(".");
    await writeFile(at("a"), "old", { mode: 0o444 });
    await giveToPlainUser("a");
    const refusal = /^READ_ONLY .*'a' is read-only: expected a file that this user may write/;
    expect(await asPlainUser("a", "new")).toMatch(refusal);
    expect(await asPlainUser("a")).toMatch(refusal);
    expect(await content("a")).toBe("old");
  });

  test("writes a file in a folder that they can't write, in place", async () => {
    await writeFile(at("a"), "old", { mode: 0o644 });
    await giveToPlainUser("a");
    if (!IS_ROOT) await chmod(root, 0o555);
    expect(await asPlainUser("a", "new")).toBe("written");
    expect(await content("a")).toBe("new");
    expect(await asPlainUser("b", "new")).toMatch(/^FAILED .*'b' can't be used: EACCES/);
    await chmod(root, 0o755);
  });

  test.runIf(IS_ROOT)("keeps the owner of a file of another user", async () => {
    await giveToPlainUser(".");
    await writeFile(at("a"), "old");
    await chmod(at("a"), 0o666);
    expect(await asPlainUser("a", "new")).toBe("written");
    expect(await stat(at("a"))).toMatchObject({ uid: 0, gid: 0 });
    expect(await content("a")).toBe("new");
  });
});

test("a symlink to a file with several hard links stays, and so do the links", async () => {
  await writeFile(at("a"), "old");
  await link(at("a"), at("b"));
  await symlink("a", at("link"));
  await workspace.write("link", "new");
  expect((await lstat(at("link"))).isSymbolicLink()).toBe(true);
  expect(await content("b")).toBe("new");
});

test("a workspace that was removed is named by the error", async () => {
  await rm(root, { recursive: true });
  for (const use of [
    () => workspace.read("a"),
    () => workspace.write("a", "x"),
    () => workspace.list(".", { recursive: false, limit: 9 }),
  ])
    await expect(use()).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: `The workspace ${root} no longer exists: it was moved or removed. Ask the user what to do.`,
    });
});
