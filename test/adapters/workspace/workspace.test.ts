// cspell:words ncaf nnai
import { execFileSync } from "node:child_process";
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  unlink,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";
import type { Workspace } from "../../../tools/index.ts";

let root: string;
let workspace: Workspace;
const at = (name: string): string => path.join(root, name);
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
const { signal } = new AbortController();

beforeEach(async () => {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), "workspace-")));
  root = path.join(base, "root");
  await mkdir(root);
  workspace = await openWorkspace(root);
});
afterEach(() => rm(path.dirname(root), { recursive: true, force: true }));

describe("writing", () => {
  test("creates a file and its missing folders, and returns whether the file is new", async () => {
    expect(await workspace.write("a/b/c.txt", "one")).toEqual({ created: true });
    expect(await workspace.write("a/b/c.txt", "two")).toEqual({ created: false });
    expect(await readFile(at("a/b/c.txt"), "utf8")).toBe("two");
    expect(await readdir(at("a/b"))).toEqual(["c.txt"]);
  });

  test("keeps the file's mode and replaces the file: readers of the old file see the old text", async () => {
    await writeFile(at("run.sh"), "old");
    await chmod(at("run.sh"), 0o751);
    const before = await stat(at("run.sh"));
    await workspace.write("run.sh", "new");
    const after = await stat(at("run.sh"));
    expect(after.mode).toBe(before.mode);
    expect(after.ino).not.toBe(before.ino);
  });

  test("rejects folders, the workspace itself, and a path below a file, and leaves nothing behind", async () => {
    await mkdir(at("folder"));
    await writeFile(at("file"), "");
    await expect(workspace.write("folder", "x")).rejects.toMatchObject({ code: "NOT_A_FILE" });
    await expect(workspace.write(".", "x")).rejects.toMatchObject({ code: "NOT_A_FILE" });
    for (const name of ["file/below", "file/below/it"])
      await expect(workspace.write(name, "x")).rejects.toMatchObject({ code: "NOT_A_FOLDER" });
    expect((await readdir(root)).sort()).toEqual(["file", "folder"]);
  });

  test("L14: rejects files over the limit", async () => {
    const small = await openWorkspace(root, { maxFileBytes: 4 });
    await expect(small.write("a", "12345")).rejects.toMatchObject({ code: "TOO_LARGE" });
    await writeFile(at("b"), "12345");
    await expect(small.read("b")).rejects.toMatchObject({ code: "TOO_LARGE" });
  });
});

describe("a path that is not a regular file", () => {
  test.each(["descriptors", "paths"] as const)(
    "is rejected without blocking, checked by %s",
    async (check) => {
      workspace = await openWorkspace(root, { check });
      execFileSync("sh", ["-c", 'mkfifo "$0"', at("pipe")]);
      await mkdir(at("folder"));
      for (const name of ["pipe", "folder"]) {
        await expect(workspace.read(name)).rejects.toMatchObject({ code: "NOT_A_FILE" });
        await expect(workspace.write(name, "x")).rejects.toMatchObject({ code: "NOT_A_FILE" });
      }
      await expect(workspace.list("pipe", { recursive: false, limit: 9 })).rejects.toMatchObject({
        name: "ToolError",
      });
      const found = await workspace.search({ path: ".", regex: ".", limit: 9, signal });
      expect(found).toEqual({ files: [], cut: false });
    },
  );
});

describe.each(["descriptors", "paths"] as const)(
  "a device or a socket is not opened, checked by %s",
  (check) => {
    test.each(["zero", "null", "full", "tty"])("/dev/%s", async (name) => {
      const devices = await openWorkspace("/dev", { check });
      expect(await devices.resolve(name)).toMatchObject({ inside: true });
      await expect(devices.read(name)).rejects.toMatchObject({ code: "NOT_A_FILE" });
      await expect(devices.write(name, "x")).rejects.toMatchObject({ code: "NOT_A_FILE" });
      const search = devices.search({ path: name, regex: ".", limit: 9, signal });
      expect(await search.catch(refused)).toEqual("refused");
    });

    test("nor one that a symlink leads to", async () => {
      workspace = await openWorkspace(root, { check });
      await symlink("/dev/zero", at("link"));
      await expect(workspace.read("link")).rejects.toMatchObject({ code: "OUTSIDE_WORKSPACE" });
      await expect(workspace.write("link", "x")).rejects.toMatchObject({ code: "OUTSIDE_WORKSPACE" });
    });

    test("a socket", async () => {
      workspace = await openWorkspace(root, { check });
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(at("socket"), resolve));
      await expect(workspace.read("socket")).rejects.toMatchObject({ code: "NOT_A_FILE" });
      await expect(workspace.write("socket", "x")).rejects.toMatchObject({ code: "NOT_A_FILE" });
      await new Promise((resolve) => server.close(resolve));
    });
  },
);

describe.each(["descriptors", "paths"] as const)(
  "a symlink that changes after it was judged, checked by %s",
  (check) => {
    test("leads neither outside nor to a denied file", async () => {
      workspace = await openWorkspace(root, { check });
      const outside = path.join(path.dirname(root), "outside");
      await mkdir(outside);
      await mkdir(at("open"));
      await mkdir(at("closed"));
      for (const folder of [outside, at("open"), at("closed")])
        await writeFile(path.join(folder, "f"), folder);
      await writeFile(at(".rooignore"), "closed\n");
      for (const [target, code] of [
        [outside, "OUTSIDE_WORKSPACE"],
        [at("closed"), "IGNORED"],
      ] as const) {
        await symlink(at("open"), at("door"));
        expect(await workspace.resolve("door/f")).toMatchObject({ inside: true, ignored: false });
        await unlink(at("door"));
        await symlink(target, at("door"));
        await expect(workspace.read("door/f")).rejects.toMatchObject({ code });
        await expect(workspace.write("door/f", "changed")).rejects.toMatchObject({ code });
        await expect(workspace.write("door/new", "changed")).rejects.toMatchObject({ code });
        await expect(workspace.list("door", { recursive: false, limit: 9 })).rejects.toMatchObject({ code });
        expect(await readdir(target)).toEqual(["f"]);
        expect(await readFile(path.join(target, "f"), "utf8")).toBe(target);
        await unlink(at("door"));
      }
    });
  },
);

describe.runIf(process.platform === "linux")("L9: a symlink that changes during a write or read", () => {
  test("never leads outside", async () => {
    const outside = path.join(path.dirname(root), "outside");
    await mkdir(outside);
    await writeFile(path.join(outside, "f.txt"), "SECRET");
    await mkdir(at("real"));
    await writeFile(at("real/f.txt"), "inside");
    await symlink("real", at("door"));
    let racing = true;
    const race = (async () => {
      for (let round = 0; racing; round += 1) {
        await symlink(round % 2 === 0 ? outside : "real", at("next"));
        await rename(at("next"), at("door"));
      }
    })();
    const outcomes = new Set<string>();
    for (let round = 0; round < 250; round += 1) {
      const seen = await workspace.read("door/f.txt").then(text, (error: unknown) => {
        expect(error).toMatchObject({ name: "ToolError" });
        return "refused";
      });
      expect(seen).not.toContain("SECRET");
      outcomes.add(seen === "refused" ? seen : "read");
      await workspace.write("door/f.txt", "inside").catch((error: unknown) => {
        expect(error).toMatchObject({ name: "ToolError" });
      });
      await workspace.write(`door/new${round}/f.txt`, "x").catch((error: unknown) => {
        expect(error).toMatchObject({ name: "ToolError" });
      });
    }
    racing = false;
    await race;
    expect(await readFile(path.join(outside, "f.txt"), "utf8")).toBe("SECRET");
    expect(await readdir(outside)).toEqual(["f.txt"]);
    expect(outcomes).toEqual(new Set(["refused", "read"]));
  });

  test("never leads outside when a folder becomes a symlink", async () => {
    const outside = path.join(path.dirname(root), "outside");
    await mkdir(outside);
    await writeFile(path.join(outside, "f.txt"), "SECRET needle");
    let racing = true;
    // A concurrent write may keep a folder from being removed or created: the race continues.
    const step = (change: Promise<unknown>) =>
      change.catch((error: unknown) => expect(error).toMatchObject({ code: expect.any(String) }));
    const race = (async () => {
      while (racing) {
        await step(mkdir(at("d")));
        await step(writeFile(at("d/f.txt"), "inside needle"));
        await step(rename(at("d"), at("away")));
        await step(symlink(outside, at("d")));
        await step(rm(at("away"), { recursive: true, force: true, maxRetries: 5 }));
        await step(unlink(at("d")));
      }
    })();
    for (let round = 0; round < 120; round += 1) {
      await workspace.write(`d/x${round}/y`, "x").catch(refused);
      await workspace.write("d/f.txt", "x").catch(refused);
      expect(await workspace.read("d/f.txt").then(text, refused)).not.toContain("SECRET");
      if (round % 15 === 0) {
        const found = await workspace.search({ path: ".", regex: "needle", limit: 9, signal }).catch(refused);
        expect(JSON.stringify(found)).not.toContain("SECRET");
        expect(JSON.stringify(await workspace.list(".", { recursive: true, limit: 99 }))).not.toContain(
          "marker",
        );
      }
    }
    racing = false;
    await race;
    expect(await readFile(path.join(outside, "f.txt"), "utf8")).toBe("SECRET needle");
    expect(await readdir(outside)).toEqual(["f.txt"]);
  });
});

function refused(error: unknown): string {
  expect(error).toMatchObject({ name: "ToolError" });
  return "refused";
}

describe(".rooignore", () => {
  beforeEach(async () => {
    await writeFile(at(".rooignore"), "secret\n*.key\n");
    await mkdir(at("secret"));
    await writeFile(at("secret/a.txt"), "needle");
    await writeFile(at("b.key"), "needle");
    await writeFile(at("open.txt"), "needle");
  });

  test("denies reading, writing, listing and searching of files, also by a symlink", async () => {
    await symlink("b.key", at("link"));
    for (const name of ["secret/a.txt", "b.key", "link"]) {
      await expect(workspace.read(name)).rejects.toMatchObject({ code: "IGNORED" });
      await expect(workspace.write(name, "x")).rejects.toMatchObject({ code: "IGNORED" });
      expect(await workspace.resolve(name)).toMatchObject({ inside: true, ignored: true });
    }
    await expect(workspace.write("secret/new/b.txt", "x")).rejects.toMatchObject({ code: "IGNORED" });
    await expect(workspace.list("secret", { recursive: false, limit: 9 })).rejects.toMatchObject({
      code: "IGNORED",
    });
    expect((await workspace.list(".", { recursive: true, limit: 99 })).names).toEqual([
      ".rooignore",
      "link",
      "open.txt",
    ]);
    const { files } = await workspace.search({ path: ".", regex: "needle", limit: 99, signal });
    expect(files.map((file) => file.path)).toEqual(["open.txt"]);
    expect(await readdir(at("secret"))).toEqual(["a.txt"]);
  });

  test("can't be written by a tool, and applies as soon as a person changes it", async () => {
    await expect(workspace.write(".rooignore", "")).rejects.toMatchObject({ code: "IGNORED" });
    await expect(workspace.write("x/../.rooignore", "")).rejects.toMatchObject({ code: "IGNORED" });
    expect(text(await workspace.read("open.txt"))).toBe("needle");
    await writeFile(at(".rooignore"), "open.txt\n");
    await expect(workspace.read("open.txt")).rejects.toMatchObject({ code: "IGNORED" });
    expect(text(await workspace.read("b.key"))).toBe("needle");
  });

  test.each(["descriptors", "paths"] as const)(
    "denies a file under any case and normalization of its name, checked by %s",
    async (check) => {
      workspace = await openWorkspace(root, { check });
      await writeFile(at(".rooignore"), "*.key\nsecret\ncaf\u00e9\nnai\u0308ve/\n");
      await mkdir(at("nai\u0308ve"));
      await mkdir(at("SECRET"));
      for (const name of ["SECRET/a", "cafe\u0301", "CAFE\u0301", "na\u00efve/a", "nai\u0308ve/b"]) {
        expect(await workspace.resolve(name)).toMatchObject({ ignored: true });
        await writeFile(at(name), "needle").catch(() => {});
        await expect(workspace.write(name, "x")).rejects.toMatchObject({ code: "IGNORED" });
        const read = workspace.read(name);
        await expect(read).rejects.toMatchObject({ code: expect.stringMatching(/^(IGNORED|NOT_FOUND)$/) });
      }
      const { files } = await workspace.search({ path: ".", regex: "needle", limit: 99, signal });
      expect(files.map((file) => file.path)).toEqual(["open.txt"]);
      expect((await workspace.list(".", { recursive: true, limit: 99 })).names).not.toContain("cafe\u0301");
    },
  );

  test("denies access to everything if it is a pipe, without blocking", async () => {
    await rm(at(".rooignore"));
    execFileSync("mkfifo", [at(".rooignore")]);
    await expect(workspace.read("open.txt")).rejects.toMatchObject({ code: "IGNORED" });
    expect(await workspace.mayIgnore("*.ts")).toBe(true);
  });

  test("denies access to everything if it can't be read", async () => {
    await rm(at(".rooignore"));
    await mkdir(at(".rooignore"));
    await expect(workspace.read("open.txt")).rejects.toMatchObject({ code: "IGNORED" });
    expect(await workspace.resolve("open.txt")).toMatchObject({ ignored: true });
  });
});

describe("listing and searching", () => {
  beforeEach(async () => {
    await workspace.write("src/a.ts", "one\nneedle here\nthree\n");
    await workspace.write("src/deep/b.ts", "needle");
    await workspace.write("src/deep/c.md", "needle");
    await workspace.write("node_modules/x/index.js", "needle");
    await workspace.write("out/made.ts", "needle");
    await workspace.write(".gitignore", "/out\n*.log\n");
    await workspace.write("src/.gitignore", "!kept.log\n/deep/c.md\n");
    await workspace.write("src/kept.log", "needle");
    await workspace.write("src/other.log", "needle");
    await workspace.write(".git/config", "needle");
  });
  const find = (named: string, regex = "needle", filePattern?: string, limit = 99) =>
    workspace.search({
      path: named,
      regex,
      limit,
      signal,
      ...(filePattern === undefined ? {} : { filePattern }),
    });

  test("omit the files that .gitignore files hide, nearest rules first", async () => {
    expect((await workspace.list(".", { recursive: true, limit: 99 })).names).toEqual([
      ...[".gitignore", "src/", "src/.gitignore", "src/a.ts", "src/deep/", "src/kept.log", "src/deep/b.ts"],
    ]);
    const files = ["src/a.ts", "src/deep/b.ts", "src/kept.log"];
    expect((await find(".")).files.map((file) => file.path).sort()).toEqual(files);
    expect((await find("src/deep")).files.map((file) => file.path)).toEqual(["src/deep/b.ts"]);
  });

  test("show an ignored folder that is given by name", async () => {
    expect((await workspace.list("out", { recursive: true, limit: 9 })).names).toEqual(["out/made.ts"]);
    expect((await find("out")).files.map((file) => file.path)).toEqual(["out/made.ts"]);
    expect((await find("out/made.ts")).files.map((file) => file.path)).toEqual(["out/made.ts"]);
    expect(text(await workspace.read("src/other.log"))).toBe("needle");
  });

  test("return a match with its line number and the lines around it", async () => {
    expect(await find("src/a.ts")).toEqual({
      files: [
        {
          path: "src/a.ts",
          lines: [
            { number: 1, text: "one", matches: false },
            { number: 2, text: "needle here", matches: true },
            { number: 3, text: "three", matches: false },
          ],
        },
      ],
      cut: false,
    });
  });

  test("with a file pattern search fewer files, and no hidden ones", async () => {
    expect((await find(".", "needle", "*.ts")).files.map((file) => file.path)).toEqual([
      "src/a.ts",
      "src/deep/b.ts",
    ]);
    expect((await find(".", "needle", "**/node_modules/**")).files).toEqual([]);
    expect((await find(".", "needle", "*.log")).files.map((file) => file.path)).toEqual(["src/kept.log"]);
  });

  test("L14: are limited, with a mark", async () => {
    expect(await workspace.list(".", { recursive: true, limit: 3 })).toEqual({
      names: [".gitignore", "src/", "src/.gitignore"],
      cut: true,
    });
    await workspace.write("many.txt", "x\n".repeat(500));
    const { files, cut } = await find("many.txt", "x", undefined, 10);
    expect(cut).toBe(true);
    expect(files[0]?.lines.filter((line) => line.matches)).toHaveLength(10);
    await workspace.write("long.txt", `needle${"x".repeat(10_000)}`);
    expect((await find("long.txt")).files[0]?.lines[0]?.text).toHaveLength(505);
  });

  test("reject an invalid pattern with ripgrep's message", async () => {
    await expect(find(".", "(")).rejects.toMatchObject({
      code: "PATTERN_INVALID",
      message: expect.stringContaining("unclosed group"),
    });
    await expect(find(".", "a", "{")).rejects.toMatchObject({ code: "PATTERN_INVALID" });
    expect(await find(".", "--files")).toEqual({ files: [], cut: false });
  });

  test("handle names with spaces, line breaks and dashes", async () => {
    await workspace.write("-x y\nz.txt", "needle");
    expect((await find(".", "needle", "*z.txt")).files.map((file) => file.path)).toEqual(["-x y\nz.txt"]);
    expect((await find("-x y\nz.txt")).files.map((file) => file.path)).toEqual(["-x y\nz.txt"]);
  });

  test("end when the signal is aborted", async () => {
    await expect(
      workspace.search({ path: ".", regex: "x", limit: 9, signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({ name: "AbortError" });
  });
});

test("a workspace that does not exist or is a file is rejected", async () => {
  await writeFile(at("file"), "");
  await expect(openWorkspace(at("none"))).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(openWorkspace(at("file"))).rejects.toMatchObject({ code: "NOT_A_FOLDER" });
});
