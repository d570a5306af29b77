import { execFile, execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Checkpoints, openCheckpoints } from "../../../adapters/checkpoints/checkpoints.ts";
import { checkpointsFolder } from "../../../adapters/checkpoints/store.ts";
import type { ChangedFile, FileContent } from "../../../tools/changed-file.ts";
import { program } from "../../support/program.ts";
import { checkpointsOf, createFolders, done, type Folders, put, treeOf } from "./tree.ts";

let here: Folders;
beforeEach(() => {
  here = createFolders();
});
afterEach(() => here.remove());

/** Runs the user's git in a folder of the workspace. */
function git(folder: string, ...args: readonly string[]): string {
  const own = ["-c", "user.name=me", "-c", "user.email=me@localhost", "-c", "commit.gpgSign=false"];
  return execFileSync("git", [...own, ...args], { cwd: folder, encoding: "utf8" });
}

const save = async (checkpoints: Checkpoints): Promise<string> => done(await checkpoints.save()).hash;
const read = (file: string): string => readFileSync(path.join(here.workspace, file), "utf8");

describe("the changes since a checkpoint", () => {
  const changesSince = async (checkpoints: Checkpoints, hash: string) => {
    const files: unknown[] = [];
    const text = (content: FileContent) =>
      content === null || content === "unknown" ? content : Buffer.from(content).toString("latin1");
    const each = ({ path: name, before, after }: ChangedFile) =>
      files.push([name, text(before), text(after)]);
    done(await checkpoints.readChanges(hash, each));
    return files;
  };

  test("have both contents of each file, byte for byte and in order, also of many and large ones", async () => {
    const { workspace } = here;
    const large = "x\n".repeat(6_000_000);
    put(workspace, "a.bin", Buffer.from([0xff, 0, 0x0a]));
    put(workspace, "gone.txt", "gone\n");
    put(workspace, "kept.txt", "kept\n");
    put(workspace, "large.txt", large);
    const checkpoints = await checkpointsOf(here);
    const hash = await save(checkpoints);
    expect(await changesSince(checkpoints, hash)).toEqual([]);
    put(workspace, "a.bin", Buffer.from([0xff, 1]));
    rmSync(path.join(workspace, "gone.txt"));
    put(workspace, "large.txt", `${large}y`);
    put(workspace, "new/b.txt", "kept\n");
    put(workspace, "ä.txt", "");
    symlinkSync("a.bin", path.join(workspace, "link"));
    expect(await changesSince(checkpoints, hash)).toEqual([
      ["a.bin", "\u00ff\0\n", "\u00ff\u0001"],
      ["gone.txt", "gone\n", null],
      ["large.txt", large, `${large}y`],
      ["link", null, "unknown"],
      ["new/b.txt", null, "kept\n"],
      ["ä.txt", null, ""],
    ]);
  });

  test("take no file for a new or a removed one whose rules or size changed", async () => {
    const { workspace } = here;
    put(workspace, ".gitignore", "now/\n");
    put(workspace, "now/a.txt", "a\n");
    put(workspace, "then/b.txt", "b\n");
    put(workspace, "grown.txt", "small\n");
    const checkpoints = await checkpointsOf(here, { limits: { maxFileBytes: 100 } });
    const hash = await save(checkpoints);
    put(workspace, ".gitignore", "then/\n");
    put(workspace, "grown.txt", "x".repeat(101));
    expect(await changesSince(checkpoints, hash)).toEqual([
      [".gitignore", "now/\n", "then/\n"],
      ["grown.txt", "unknown", "unknown"],
    ]);
  });
});

describe("a restore", () => {
  test("restores changed and deleted files, removes new ones with their folders, and can be undone", async () => {
    const { workspace } = here;
    put(workspace, "a.txt", "one\n");
    put(workspace, "src/deep/b.txt", "two\n");
    const checkpoints = await checkpointsOf(here);
    const hash = await save(checkpoints);
    const before = treeOf(workspace);

    put(workspace, "a.txt", "changed\n");
    rmSync(path.join(workspace, "src"), { recursive: true });
    put(workspace, "new/folder/c.txt", "three\n");
    const later = treeOf(workspace);

    const diff = done(await checkpoints.diff(hash));
    const files = { added: ["src/deep/b.txt"], changed: ["a.txt"], removed: ["new/folder/c.txt"] };
    expect(diff.files).toEqual(files);
    expect(diff.text).toContain("-changed\n+one\n");
    const changes = done(await checkpoints.changesSince(hash));
    expect(changes.files).toEqual({ added: files.removed, changed: files.changed, removed: files.added });
    expect(changes.text).toContain("-one\n+changed\n");
    expect(treeOf(workspace)).toEqual(later);

    const restored = done(await checkpoints.restore(hash, { present: diff.present }));
    expect(restored).toMatchObject({ files, failed: [], leftAsIs: [] });
    expect(treeOf(workspace)).toEqual(before);
    expect(existsSync(path.join(workspace, "new"))).toBe(false);

    done(await checkpoints.restore(restored.undo ?? ""));
    expect(treeOf(workspace)).toEqual(later);
  });

  test("without changes saves no checkpoint to undo it", async () => {
    put(here.workspace, "a.txt", "one\n");
    const checkpoints = await checkpointsOf(here);
    const hash = await save(checkpoints);
    expect(done(await checkpoints.restore(hash)).undo).toBeUndefined();
  });

  test("keeps symlinks as links, and never writes through one that leads outside (L9)", async () => {
    const { workspace, dataDir } = here;
    const outside = path.join(path.dirname(dataDir), "outside");
    mkdirSync(outside);
    writeFileSync(path.join(outside, "b.txt"), "theirs\n");
    put(workspace, "folder/b.txt", "ours\n");
    symlinkSync("folder/b.txt", path.join(workspace, "link"));
    symlinkSync(outside, path.join(workspace, "away"));
    const checkpoints = await checkpointsOf(here);
    const hash = await save(checkpoints);
    const before = treeOf(workspace);

    rmSync(path.join(workspace, "folder"), { recursive: true });
    symlinkSync(outside, path.join(workspace, "folder"));
    unlinkSync(path.join(workspace, "link"));
    put(workspace, "link", "a file now\n");
    const later = treeOf(workspace);

    const { undo } = done(await checkpoints.restore(hash));
    expect(treeOf(workspace)).toEqual(before);
    done(await checkpoints.restore(undo ?? ""));
    expect(treeOf(workspace)).toEqual(later);
    expect(treeOf(outside)).toEqual({ "b.txt": expect.any(String) });
    expect(readFileSync(path.join(outside, "b.txt"), "utf8")).toBe("theirs\n");
  });

  test("keeps whether a file is executable, and the mode of a private file", async () => {
    const { workspace } = here;
    put(workspace, "run.sh", "echo 1\n", 0o755);
    put(workspace, "secret", "one\n", 0o600);
    const checkpoints = await checkpointsOf(here);
    const hash = await save(checkpoints);
    chmodSync(path.join(workspace, "run.sh"), 0o644);
    writeFileSync(path.join(workspace, "secret"), "two\n");
    done(await checkpoints.restore(hash));
    expect(statSync(path.join(workspace, "run.sh")).mode & 0o777).toBe(0o755);
    expect(statSync(path.join(workspace, "secret")).mode & 0o777).toBe(0o600);
    expect(read("secret")).toBe("one\n");
  });

  test("restores exact bytes, whatever .gitattributes contains", async () => {
    const { workspace } = here;
    const rules = "* text eol=crlf ident filter=x working-tree-encoding=UTF-16\n";
    const bytes = Buffer.from([0x24, 0x49, 0x64, 0x24, 13, 10, 10, 0xff, 0xfe, 0, 13]);
    put(workspace, ".gitattributes", rules);
    put(workspace, "bytes", bytes);
    put(workspace, "text", "$Id$\nunix\n");
    const checkpoints = await checkpointsOf(here);
    const hash = await save(checkpoints);
    const before = treeOf(workspace);
    put(workspace, "bytes", "x");
    put(workspace, "text", "y");
    done(await checkpoints.restore(hash));
    expect(treeOf(workspace)).toEqual(before);
  });

  test("handles any file name: with spaces, newlines, quotes, other scripts", async () => {
    const { workspace } = here;
    const names = [
      "a b",
      "new\nline",
      'quo"te',
      "日本/ü.txt",
      "-rf",
      ":(glob)*",
      "*",
      "back\\slash",
      "tab\t",
    ];
    for (const name of names) put(workspace, name, `${name}\n`);
    const checkpoints = await checkpointsOf(here);
    const hash = await save(checkpoints);
    const before = treeOf(workspace);
    for (const name of names) rmSync(path.join(workspace, name));
    const diff = done(await checkpoints.diff(hash));
    expect([...diff.files.added].sort()).toEqual([...names].sort());
    done(await checkpoints.restore(hash));
    expect(treeOf(workspace)).toEqual(before);
  });

  test("replaces a folder by the file it was, and a file by the folder", async () => {
    const { workspace } = here;
    put(workspace, "x", "a file\n");
    put(workspace, "y/z", "in a folder\n");
    const checkpoints = await checkpointsOf(here);
    const hash = await save(checkpoints);
    const before = treeOf(workspace);
    rmSync(path.join(workspace, "x"));
    rmSync(path.join(workspace, "y"), { recursive: true });
    put(workspace, "x/inside", "1\n");
    put(workspace, "y", "2\n");
    const later = treeOf(workspace);
    const { undo } = done(await checkpoints.restore(hash));
    expect(treeOf(workspace)).toEqual(before);
    done(await checkpoints.restore(undo ?? ""));
    expect(treeOf(workspace)).toEqual(later);
  });

  test("is rejected if files have changed since the diff was shown", async () => {
    const { workspace } = here;
    put(workspace, "a.txt", "one\n");
    const checkpoints = await checkpointsOf(here);
    const hash = await save(checkpoints);
    put(workspace, "a.txt", "two\n");
    const { present } = done(await checkpoints.diff(hash));
    put(workspace, "a.txt", "three\n");
    expect(await checkpoints.restore(hash, { present })).toMatchObject({ ok: false, code: "changed" });
    expect(read("a.txt")).toBe("three\n");
  });

  test("takes the start of a hash, and names no other where several begin with it", async () => {
    const { workspace } = here;
    put(workspace, "a.txt", "one\n");
    const checkpoints = await checkpointsOf(here);
    const hash = await save(checkpoints);
    put(workspace, "a.txt", "two\n");
    expect(await checkpoints.diff(hash.slice(0, 12))).toMatchObject({ ok: true });
    const store = checkpointsFolder(here.dataDir, workspace);
    const twin = `${hash.slice(0, 12)}${"0".repeat(hash.length - 12)}`;
    mkdirSync(path.join(store, "refs/checkpoints"), { recursive: true });
    writeFileSync(path.join(store, "refs/checkpoints", twin), `${hash}\n`);
    expect(await checkpoints.restore(hash.slice(0, 12))).toMatchObject({
      ok: false,
      code: "unknown",
      reason: expect.stringContaining("2 checkpoints of "),
    });
    expect(read("a.txt")).toBe("two\n");
    done(await checkpoints.restore(hash));
    expect(read("a.txt")).toBe("one\n");
  });

  test("of a hash that is not a checkpoint of this workspace is rejected", async () => {
    const checkpoints = await checkpointsOf(here);
    for (const hash of ["", "HEAD", "--all", "0".repeat(40)])
      expect(await checkpoints.restore(hash)).toMatchObject({ ok: false, code: "unknown" });
  });
});

describe("an ignored file", () => {
  test("leaves the ledger of the workspace as it is", async () => {
    const { workspace } = here;
    const ledger = ".orchestration/agent_trace.jsonl";
    put(workspace, "a.txt", "one\n");
    put(workspace, ".orchestration/active_intents.yaml", "old\n");
    put(workspace, ledger, "1\n");
    const checkpoints = await checkpointsOf(here);
    const hash = await save(checkpoints);
    put(workspace, "a.txt", "two\n");
    put(workspace, ".orchestration/active_intents.yaml", "new\n");
    put(workspace, ledger, "1\n2\n");
    await checkpoints.restore(hash);
    expect([read("a.txt"), read(".orchestration/active_intents.yaml"), read(ledger)]).toEqual([
      "one\n",
      "old\n",
      "1\n2\n",
    ]);
  });

  test("is not saved, and a restore leaves it unchanged", async () => {
    const { workspace } = here;
    put(workspace, ".gitignore", "build/\n*.log\n");
    put(workspace, "a.txt", "one\n");
    put(workspace, "build/out", "1\n");
    put(workspace, "node_modules/x/index.js", "1\n");
    const checkpoints = await checkpointsOf(here);
    const hash = await save(checkpoints);
    put(workspace, "build/out", "2\n");
    put(workspace, "new.log", "kept\n");
    put(workspace, "node_modules/x/index.js", "2\n");
    put(workspace, "a.txt", "two\n");
    expect(done(await checkpoints.diff(hash)).files).toEqual({ added: [], changed: ["a.txt"], removed: [] });
    done(await checkpoints.restore(hash));
    expect([read("build/out"), read("new.log"), read("node_modules/x/index.js")]).toEqual([
      "2\n",
      "kept\n",
      "2\n",
    ]);
  });

  test("by a rule added since is restored, and the undo restores its later content", async () => {
    const { workspace } = here;
    put(workspace, "x.log", "one\n");
    put(workspace, "y.log", "gone\n");
    const checkpoints = await checkpointsOf(here);
    const hash = await save(checkpoints);
    put(workspace, ".gitignore", "*.log\n");
    put(workspace, "x.log", "two\n");
    rmSync(path.join(workspace, "y.log"));
    const later = treeOf(workspace);
    const { undo } = done(await checkpoints.restore(hash));
    expect([read("x.log"), read("y.log")]).toEqual(["one\n", "gone\n"]);
    done(await checkpoints.restore(undo ?? ""));
    expect(treeOf(workspace)).toEqual(later);
  });

  test("by a rule removed since may have existed: it is not removed", async () => {
    const { workspace } = here;
    put(workspace, ".gitignore", "secret.env\n");
    put(workspace, "secret.env", "KEY\n");
    const checkpoints = await checkpointsOf(here);
    const hash = await save(checkpoints);
    rmSync(path.join(workspace, ".gitignore"));
    put(workspace, "new.txt", "new\n");
    done(await checkpoints.restore(hash));
    expect(Object.keys(treeOf(workspace))).toEqual([".gitignore", "secret.env"]);
  });

  test("by the checkpoint's rules but not by the current ones is removed if it is in the way", async () => {
    const { workspace } = here;
    put(workspace, ".gitignore", "*.o\n");
    put(workspace, "x", "a file\n");
    const checkpoints = await checkpointsOf(here);
    const hash = await save(checkpoints);
    rmSync(path.join(workspace, "x"));
    rmSync(path.join(workspace, ".gitignore"));
    put(workspace, "x/main.o", "built\n");
    const later = treeOf(workspace);
    const { undo, files } = done(await checkpoints.restore(hash));
    expect(files).toEqual({ added: [".gitignore", "x"], changed: [], removed: ["x/main.o"] });
    expect(read("x")).toBe("a file\n");
    done(await checkpoints.restore(undo ?? ""));
    expect(treeOf(workspace)).toEqual(later);
  });

  test("in the way of a restored file stays, and is reported", async () => {
    const { workspace } = here;
    put(workspace, ".gitignore", "*.o\n");
    put(workspace, "x", "a file\n");
    const checkpoints = await checkpointsOf(here);
    const hash = await save(checkpoints);
    rmSync(path.join(workspace, "x"));
    put(workspace, "x/main.o", "built\n");
    const restored = done(await checkpoints.restore(hash));
    expect(restored.leftAsIs).toEqual([{ path: "x", why: expect.stringContaining("x/main.o") }]);
    expect(read("x/main.o")).toBe("built\n");
  });
});

describe("the user's git repository", () => {
  test("is unchanged byte for byte: index, staged and unstaged changes, hooks, refs", async () => {
    const { workspace } = here;
    git(workspace, "init", "-q");
    put(workspace, "a.txt", "one\n");
    put(workspace, "b.txt", "one\n");
    git(workspace, "add", ".");
    git(workspace, "commit", "-qm", "first");
    for (const hook of ["post-checkout", "post-index-change", "reference-transaction", "pre-commit"])
      put(workspace, `.git/hooks/${hook}`, `#!/bin/sh\ntouch "${workspace}/hook-ran"\n`, 0o755);
    put(workspace, "a.txt", "staged\n");
    git(workspace, "add", "a.txt");
    put(workspace, "a.txt", "unstaged\n");
    rmSync(path.join(workspace, "hook-ran"), { force: true });
    const own = (): unknown => [
      treeOf(path.join(workspace, ".git")),
      statSync(path.join(workspace, ".git/index"), { bigint: true }).mtimeNs,
    ];
    const before = own();

    // The environment of a process that the user's hook or rebase runs.
    const env = {
      ...process.env,
      GIT_DIR: path.join(workspace, ".git"),
      GIT_INDEX_FILE: path.join(workspace, ".git/index"),
      GIT_OBJECT_DIRECTORY: path.join(workspace, ".git/objects"),
    };
    const checkpoints = await checkpointsOf(here, { env });
    const hash = await save(checkpoints);
    put(workspace, "a.txt", "the agent's\n");
    put(workspace, "c.txt", "the agent's\n");
    done(await checkpoints.diff(hash));
    done(await checkpoints.restore(hash));

    expect(own()).toEqual(before);
    expect(existsSync(path.join(workspace, "hook-ran"))).toBe(false);
    expect(read("a.txt")).toBe("unstaged\n");
    expect(git(workspace, "status", "--porcelain")).toBe("MM a.txt\n");
  });

  test("in a folder of the workspace is unchanged too, and its working files are saved", async () => {
    const { workspace } = here;
    put(workspace, ".gitignore", "*.log\n");
    for (const inside of ["lib", "lib/deep/more", "empty-of-commits"]) {
      put(workspace, `${inside}/f.txt`, "one\n");
      put(workspace, `${inside}/x.log`, "ignored\n");
      put(workspace, `${inside}/t.tmp`, "ignored\n");
      put(workspace, `${inside}/.gitignore`, "*.tmp\n");
      git(path.join(workspace, inside), "init", "-q");
      if (inside === "empty-of-commits") continue;
      git(path.join(workspace, inside), "add", ".");
      git(path.join(workspace, inside), "commit", "-qm", "first");
    }
    const checkpoints = await checkpointsOf(here);
    const hash = await save(checkpoints);
    const before = treeOf(workspace, (file) => file.endsWith(".log"));
    for (const inside of ["lib", "lib/deep/more", "empty-of-commits"]) {
      put(workspace, `${inside}/f.txt`, "two\n");
      put(workspace, `${inside}/new.txt`, "new\n");
      put(workspace, `${inside}/x.log`, "ignored from above\n");
    }
    const { files, undo } = done(await checkpoints.restore(hash));
    expect(files.changed).toEqual(["empty-of-commits/f.txt", "lib/deep/more/f.txt", "lib/f.txt"]);
    const isLog = (file: string): boolean => file.endsWith(".log");
    expect(treeOf(workspace, isLog)).toEqual(before);
    expect(read("lib/deep/more/x.log")).toBe("ignored from above\n");
    expect(undo).toBeDefined();
  });
});

describe("the data directory", () => {
  test("in the workspace is never saved or restored: a journal only grows, and a subtask works on its own files", async () => {
    const inside = { ...here, dataDir: path.join(here.workspace, "my data[1]") };
    put(inside.dataDir, "tasks/t1/journal.jsonl", "1\n");
    put(inside.dataDir, "worktrees/t1.1/files/a.txt", "1\n");
    put(here.workspace, "a.txt", "one\n");
    put(here.workspace, ".gitignore", "!*\n");
    const checkpoints = await checkpointsOf(inside);
    const hash = await save(checkpoints);
    put(inside.dataDir, "tasks/t1/journal.jsonl", "1\n2\n");
    put(inside.dataDir, "worktrees/t1.1/files/a.txt", "2\n");
    put(here.workspace, "a.txt", "two\n");
    expect(done(await checkpoints.restore(hash)).files).toEqual({
      added: [],
      changed: ["a.txt"],
      removed: [],
    });
    expect(readFileSync(path.join(inside.dataDir, "tasks/t1/journal.jsonl"), "utf8")).toBe("1\n2\n");
  });

  test("is readable only by its owner, and has one folder for each workspace", async () => {
    await checkpointsOf(here);
    const folder = checkpointsFolder(here.dataDir, here.workspace);
    expect(statSync(folder).mode & 0o077).toBe(0);
    expect(statSync(here.dataDir).mode & 0o077).toBe(0);
  });
});

describe("limits (L14)", () => {
  test("too many files, also in nested repositories, are an error with the limit's name", async () => {
    for (const name of ["a", "b", "lib/c"]) put(here.workspace, name, name);
    git(path.join(here.workspace, "lib"), "init", "-q");
    expect((await (await checkpointsOf(here, { limits: { maxFiles: 3 } })).save()).ok).toBe(true);
    const failure = await (await checkpointsOf(here, { limits: { maxFiles: 2 } })).save();
    expect(failure).toMatchObject({
      code: "files",
      reason: expect.stringContaining("more than 2 files (maxFiles)"),
    });
  });

  test("too many bytes are an error with the limit's name", async () => {
    for (const name of ["a", "b"]) put(here.workspace, name, "12345");
    expect((await (await checkpointsOf(here, { limits: { maxTotalBytes: 10 } })).save()).ok).toBe(true);
    const failure = await (await checkpointsOf(here, { limits: { maxTotalBytes: 9 } })).save();
    expect(failure).toMatchObject({
      code: "bytes",
      reason: expect.stringContaining("9 bytes (maxTotalBytes)"),
    });
  });

  test("a file that is too large is left out and named, and a restore leaves it unchanged", async () => {
    put(here.workspace, "big", "123456");
    put(here.workspace, "grows", "1");
    const checkpoints = await checkpointsOf(here, { limits: { maxFileBytes: 5 } });
    const saved = done(await checkpoints.save());
    expect(saved.leftOut).toEqual([{ path: "big", why: "it is larger than 5 bytes (maxFileBytes)" }]);
    put(here.workspace, "big", "1234567");
    put(here.workspace, "grows", "1234567");
    const diff = done(await checkpoints.diff(saved.hash));
    expect(diff.leftOut).toEqual(saved.leftOut);
    const restored = done(await checkpoints.restore(saved.hash));
    expect(restored.leftAsIs).toEqual([{ path: "grows", why: "the existing file could not be saved first" }]);
    expect([read("big"), read("grows")]).toEqual(["1234567", "1234567"]);
  });

  test("a file that was left out as too large is not removed as a new one", async () => {
    put(here.workspace, "shrinks", "123456");
    const checkpoints = await checkpointsOf(here, { limits: { maxFileBytes: 5 } });
    const hash = await save(checkpoints);
    put(here.workspace, "shrinks", "1");
    put(here.workspace, "new", "1");
    expect(done(await checkpoints.restore(hash)).files.removed).toEqual(["new"]);
    expect(read("shrinks")).toBe("1");
  });

  test("a full store is an error with the folder to remove", async () => {
    put(here.workspace, "a", "1");
    const checkpoints = await checkpointsOf(here, { limits: { maxStoreBytes: 1 } });
    done(await checkpoints.save());
    put(here.workspace, "a", "2");
    const folder = checkpointsFolder(here.dataDir, here.workspace);
    expect(await checkpoints.save()).toMatchObject({
      code: "store",
      reason: expect.stringContaining(folder),
    });
  });

  test("a checkpoint that takes too long is cancelled, and the next one works", async () => {
    put(here.workspace, "a", "1");
    let now: (() => void) | undefined;
    const clock = {
      now: () => 0,
      after: (_: number, fire: () => void) => {
        now?.call(undefined);
        if (now === undefined) queueMicrotask(fire);
        return () => {};
      },
    };
    const checkpoints = await checkpointsOf(here, { clock });
    expect(await checkpoints.save()).toMatchObject({
      code: "time",
      reason: expect.stringContaining("15 s (timeoutMs)"),
    });
    now = () => {};
    expect((await checkpoints.save()).ok).toBe(true);
  });

  test("a long diff is cut with a mark", async () => {
    put(here.workspace, "a", "");
    const checkpoints = await checkpointsOf(here, { limits: { maxDiffBytes: 1000 } });
    const hash = await save(checkpoints);
    put(here.workspace, "a", "line\n".repeat(100_000));
    const { text } = done(await checkpoints.diff(hash));
    expect(text.length).toBeLessThan(1200);
    expect(text).toMatch(/\[The diff is cut here: it has more than 1000 bytes \(maxDiffBytes\)\.\]\n$/);
  });
});

describe("a save", () => {
  test("reports whether files have changed since the previous one, and its hash", async () => {
    put(here.workspace, "a", "1");
    const checkpoints = await checkpointsOf(here);
    const first = done(await checkpoints.save());
    expect(first).toMatchObject({ changed: true });
    expect(first).not.toHaveProperty("from");
    expect(await checkpoints.save()).toMatchObject({ changed: false, hash: first.hash });
    put(here.workspace, "a", "2");
    expect(await checkpoints.save()).toMatchObject({ changed: true, from: first.hash });
  });

  test("detects a change that keeps a file's size and time", async () => {
    const checkpoints = await checkpointsOf(here);
    const hashes = new Set<string>();
    for (const content of ["1", "2", "3"]) {
      put(here.workspace, "a", content);
      hashes.add(await save(checkpoints));
    }
    expect(hashes.size).toBe(3);
  });

  test("works with a damaged index, which is only a cache", async () => {
    put(here.workspace, "a", "1");
    const checkpoints = await checkpointsOf(here);
    await save(checkpoints);
    writeFileSync(path.join(checkpointsFolder(here.dataDir, here.workspace), "index"), "garbage");
    put(here.workspace, "a", "2");
    expect(await checkpoints.save()).toMatchObject({ ok: true, changed: true });
  });

  test("that is aborted returns the code stopped", async () => {
    put(here.workspace, "a", "1");
    const checkpoints = await checkpointsOf(here);
    expect(await checkpoints.save({ signal: AbortSignal.abort() })).toMatchObject({ code: "stopped" });
  });

  test("of an empty workspace works", async () => {
    const checkpoints = await checkpointsOf(here);
    const hash = await save(checkpoints);
    put(here.workspace, "a/b", "1");
    done(await checkpoints.restore(hash));
    expect(treeOf(here.workspace)).toEqual({});
    expect(existsSync(here.workspace)).toBe(true);
  });

  test("skips a pipe, which has no content", async () => {
    put(here.workspace, "a", "1");
    spawnSync("mkfifo", [path.join(here.workspace, "pipe")]);
    const checkpoints = await checkpointsOf(here);
    const hash = await save(checkpoints);
    put(here.workspace, "a", "2");
    done(await checkpoints.restore(hash));
    expect(treeOf(here.workspace)).toMatchObject({ pipe: "special", a: expect.any(String) });
  });
});

describe("concurrently", () => {
  test("processes open and save the same workspace without conflicts", async () => {
    for (let at = 0; at < 50; at += 1) put(here.workspace, `f${at}`, `${at}`);
    const saveOnce = await program(new URL("./save-once.child.ts", import.meta.url));
    const args = [saveOnce, here.workspace, here.dataDir];
    const outputs = await Promise.all([1, 2, 3].map(() => promisify(execFile)(process.execPath, args)));
    const hashes = outputs.map(({ stdout }) => stdout.trim());
    expect(new Set(hashes).size).toBe(3);
    put(here.workspace, "f0", "changed");
    const checkpoints = await checkpointsOf(here);
    for (const hash of hashes)
      expect(await checkpoints.diff(hash)).toMatchObject({ ok: true, files: { changed: ["f0"] } });
  });

  test("instances open, save and diff the same workspace without conflicts", async () => {
    for (let at = 0; at < 50; at += 1) put(here.workspace, `f${at}`, `${at}`);
    const many = await Promise.all(Array.from({ length: 6 }, () => checkpointsOf(here)));
    const saved = await Promise.all(many.map((each) => each.save()));
    const hashes = saved.map((each) => done(each).hash);
    expect(new Set(hashes).size).toBe(6);
    put(here.workspace, "f0", "changed");
    const [first] = many;
    const diffs = await Promise.all(hashes.map((hash) => first?.diff(hash)));
    for (const diff of diffs) expect(diff).toMatchObject({ ok: true, files: { changed: ["f0"] } });
  });
});

describe("without git", () => {
  test("checkpoints are off, with how to enable them", async () => {
    const opened = await openCheckpoints({ ...here, env: { PATH: here.dataDir } });
    expect(opened).toEqual({ off: "git was not found: checkpoints are off. Install git to have them." });
  });

  test("2.25 or later they are also off", async () => {
    put(here.dataDir, "bin/git", "#!/bin/sh\necho git version 2.9.1\n", 0o755);
    const opened = await openCheckpoints({ ...here, env: { PATH: path.join(here.dataDir, "bin") } });
    expect(opened).toEqual({
      off: expect.stringContaining("git 2.9.1 was found: checkpoints need 2.25 or later"),
    });
  });

  test("checkpoints are also off, with the reason, if the data directory can't be created", async () => {
    writeFileSync(here.dataDir, "a file");
    expect(await openCheckpoints({ ...here })).toEqual({ off: expect.stringContaining("ENOTDIR") });
  });
});

test("a save in a workspace that was moved is an error with its path", async () => {
  const checkpoints = await checkpointsOf(here);
  renameSync(here.workspace, `${here.workspace}-moved`);
  const reason = expect.stringContaining(`git could not be started in ${here.workspace} `);
  expect(await checkpoints.save()).toMatchObject({ ok: false, code: "disk", reason });
  rmSync(here.dataDir, { recursive: true });
  expect(await openCheckpoints({ ...here })).toEqual({ off: expect.stringContaining(here.workspace) });
});
