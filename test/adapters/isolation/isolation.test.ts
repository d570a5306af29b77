import { existsSync, lstatSync, mkdirSync, readlinkSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { Isolation } from "../../../adapters/isolation/isolation.ts";
import { writeRecord } from "../../../adapters/isolation/record.ts";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";
import { Files, git, openProject, type Project } from "./project.ts";

const LINES = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
const BYTES = Uint8Array.from([0, 1, 2, 255]);

/** The parts of a repository that its user sees: status, index, changes, commits and stashes. */
const stateOf = ({ files: { dir } }: Project): readonly string[] => [
  git(dir, "status", "--porcelain=v1", "--branch", "--untracked-files=all"),
  git(dir, "diff", "--cached"),
  git(dir, "diff"),
  git(dir, "log", "--format=%H %s"),
  git(dir, "stash", "list"),
];

describe("a worktree", () => {
  test("has the files as they are now, and leaves the branch, the index and the files of the user", async () => {
    await using project = await openProject({
      "a.txt": LINES,
      "gone.txt": "x",
      "staged.txt": "old",
      ".gitignore": "*.log",
    });
    project.files.write("a.txt", `${LINES}eight\n`);
    project.files.remove("gone.txt");
    project.files.write("staged.txt", "new");
    git(project.files.dir, "add", "staged.txt");
    project.files.write("staged.txt", "newer");
    project.files.write("untracked.txt", "u");
    project.files.write("noise.log", "n");
    const before = stateOf(project);
    const { files, record } = await project.open("t.1");
    expect(stateOf(project)).toEqual(before);
    expect(files.read("a.txt")).toBe(`${LINES}eight\n`);
    expect(files.read("staged.txt")).toBe("newer");
    expect([files.has("gone.txt"), files.has("untracked.txt"), files.has("noise.log")]).toEqual([
      false,
      true,
      false,
    ]);
    expect(git(files.dir, "status", "--porcelain", "--branch")).toBe("## signalbox/t.1\n");
    expect((await project.isolation.changes(record)).files).toEqual([]);
  });

  test("of files that are all committed begins at the commit that is checked out", async () => {
    await using project = await openProject({ "a.txt": "a" });
    const { files } = await project.open("t.1");
    expect(git(files.dir, "rev-parse", "HEAD")).toBe(git(project.files.dir, "rev-parse", "HEAD"));
  });

  test("runs no hook and no filter of the repository", async () => {
    await using project = await openProject({ "a.txt": "a", ".gitattributes": "*.txt filter=evil" });
    const mark = project.files.at("../ran");
    git(project.files.dir, "config", "filter.evil.clean", `touch ${mark}; cat`);
    git(project.files.dir, "config", "filter.evil.smudge", `touch ${mark}; cat`);
    project.files.write(".git/hooks/post-checkout", `#!/bin/sh\ntouch ${mark}\n`, 0o755);
    project.files.write("a.txt", "b");
    const { files, record } = await project.open("t.1");
    files.write("a.txt", "c");
    await project.merge(record);
    expect(project.files.read("a.txt")).toBe("c");
    expect(project.files.has("../ran")).toBe(false);
  });

  test.each([
    ["without a commit", (dir: string) => git(dir, "update-ref", "-d", "HEAD")],
    ["with a detached HEAD", (dir: string) => git(dir, "checkout", "--quiet", "--detach")],
  ])("is created in a repository %s, and merged", async (_, prepare) => {
    await using project = await openProject({ "a.txt": "a" });
    prepare(project.files.dir);
    const before = stateOfHead(project);
    const { files, record } = await project.open("t.1");
    files.write("b.txt", "b");
    expect(await project.merge(record)).toEqual({ merged: true, changed: ["b.txt"], conflicts: [] });
    expect(project.files.read("b.txt")).toBe("b");
    expect(stateOfHead(project)).toBe(before);
  });

  test("of a folder in a repository has the whole repository, and does not merge what is outside", async () => {
    await using project = await openProject({ "top.txt": "t", "app/a.txt": "a" });
    const { files, record } = await project.open("t.1", { source: project.files.at("app") });
    expect(path.basename(files.dir)).toBe("app");
    files.write("a.txt", "b");
    files.write("../top.txt", "other");
    const inside = { workspace: await workspaceOf(project, "app"), conflicts: "stop" } as const;
    expect(await project.isolation.merge(record, inside)).toEqual({
      merged: false,
      conflicts: [{ path: "../top.txt", reason: "it is outside of the workspace" }],
    });
    expect(project.files.read("app/a.txt")).toBe("a");
    await project.isolation.merge(record, { ...inside, conflicts: "keep" });
    expect([project.files.read("app/a.txt"), project.files.read("top.txt")]).toEqual(["b", "t"]);
  });

  test("leaves submodules empty, and merges beside them", async () => {
    await using project = await openProject({ "a.txt": "a" });
    await using library = await openProject({ "lib.txt": "l" });
    const dir = project.files.dir;
    git(dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.files.dir, "lib");
    git(dir, "commit", "--quiet", "--message", "Add a library");
    const { files, record } = await project.open("t.1");
    files.write("a.txt", "b");
    expect(files.has("lib/lib.txt")).toBe(false);
    expect(await project.merge(record)).toEqual({ merged: true, changed: ["a.txt"], conflicts: [] });
    expect(project.files.read("lib/lib.txt")).toBe("l");
    expect(existsSync(record.folder)).toBe(false);
  });

  test("of a worktree has the files of that one, and is merged into it", async () => {
    await using project = await openProject({ "a.txt": "a" });
    const parent = await project.open("t.1");
    parent.files.write("b.txt", "b");
    const child = await project.open("t.1.1", { source: parent.files.dir, parentId: "t.1" });
    expect(child.files.read("b.txt")).toBe("b");
    child.files.write("b.txt", "c");
    const workspace = await workspaceOf(project, parent.files.dir);
    await project.isolation.merge(child.record, { workspace, conflicts: "stop" });
    expect([parent.files.read("b.txt"), project.files.has("b.txt")]).toEqual(["c", false]);
    await project.merge(parent.record);
    expect(project.files.read("b.txt")).toBe("c");
    expect(git(project.files.dir, "worktree", "list").trim().split("\n")).toHaveLength(1);
    expect(git(project.files.dir, "branch", "--list", "signalbox/*")).toBe("");
  });

  test("has nothing of a data folder in the workspace", async () => {
    await using project = await openProject({ "a.txt": "a" }, { dataDir: "data" });
    project.files.write("data/tasks/t/journal.jsonl", "{}");
    const first = await project.open("t.1");
    const second = await project.open("t.2");
    expect([first.files.has("data"), second.files.has("data")]).toEqual([false, false]);
  });

  test("is refused with the name of the limit where too much is not committed", async () => {
    await using project = await openProject({ "a.txt": "a" }, { limits: { maxBytes: 10 } });
    project.files.write("large.bin", "x".repeat(11));
    await expect(project.open("t.1")).rejects.toThrow("expected at most 10 (maxBytes)");
    expect(await project.isolation.list()).toEqual([]);
  });
});

const stateOfHead = ({ files: { dir } }: Project): string =>
  git(dir, "for-each-ref", "refs/heads/main") + new Files(dir).read(".git/HEAD");

const workspaceOf = async ({ files }: Project, folder: string) => {
  return openWorkspace(path.resolve(files.dir, folder));
};

describe.each(["worktree", "copy"] as const)("the changes in a %s", (kind) => {
  const START = { "a.txt": LINES, "moved.txt": "moved\n", "gone.txt": "gone\n", "run.sh": "#!/bin/sh\n" };

  test("are listed with a diff, and merged: added, changed, deleted, renamed, binary, executable", async () => {
    await using project = await openProject(START, { kind });
    const { files, record } = await project.open("t.1");
    files.write("a.txt", LINES.replace("two", "TWO"));
    files.remove("gone.txt");
    files.remove("moved.txt");
    files.write("folder/new name.txt", "moved\n");
    files.write("image.bin", BYTES);
    files.write("run.sh", "#!/bin/sh\n", 0o755);
    const { text, files: changed } = await project.isolation.changes(record);
    expect(changed.map(({ path, change }) => `${change} ${path}`).sort()).toEqual([
      "added folder/new name.txt",
      "added image.bin",
      "deleted gone.txt",
      "deleted moved.txt",
      "modified a.txt",
      "modified run.sh",
    ]);
    expect(text).toContain("modified a.txt (+1 -1)");
    expect(text).toContain("renamed from moved.txt folder/new name.txt");
    expect(text).toContain("added image.bin (binary or large)");
    expect(text).toContain("modified run.sh (+0 -0, another mode)");
    expect(text).toContain("-two\n+TWO");
    expect(project.files.read("a.txt")).toBe(LINES);
    const result = await project.merge(record);
    expect(result).toMatchObject({ merged: true, conflicts: [] });
    expect(project.files.read("a.txt")).toBe(LINES.replace("two", "TWO"));
    expect([project.files.has("gone.txt"), project.files.has("moved.txt")]).toEqual([false, false]);
    expect(project.files.read("folder/new name.txt")).toBe("moved\n");
    expect(project.files.bytes("image.bin")).toEqual(Buffer.from(BYTES));
    expect(project.files.isExecutable("run.sh")).toBe(true);
    expect(await project.isolation.list()).toEqual([]);
    expect(existsSync(record.folder)).toBe(false);
  });

  test("of other lines of a file that the parent changed are merged with them", async () => {
    await using project = await openProject(START, { kind });
    const { files, record } = await project.open("t.1");
    files.write("a.txt", LINES.replace("six", "SIX"));
    project.files.write("a.txt", LINES.replace("two", "TWO"));
    expect(await project.merge(record)).toMatchObject({ merged: true, conflicts: [] });
    expect(project.files.read("a.txt")).toBe(LINES.replace("two", "TWO").replace("six", "SIX"));
  });

  test("of two children in the same lines: one is merged, the other conflicts, and nothing is lost", async () => {
    await using project = await openProject(START, { kind });
    const [one, two] = [await project.open("t.1"), await project.open("t.2")];
    one.files.write("a.txt", LINES.replace("two", "first"));
    two.files.write("a.txt", LINES.replace("two", "second"));
    two.files.write("b.txt", "b");
    expect(await project.merge(one.record)).toMatchObject({ merged: true });
    expect(await project.merge(two.record)).toEqual({
      merged: false,
      conflicts: [{ path: "a.txt", reason: "both changed the lines from 2 on" }],
    });
    expect(project.files.read("a.txt")).toBe(LINES.replace("two", "first"));
    expect(project.files.has("b.txt")).toBe(false);
    expect(two.files.read("a.txt")).toBe(LINES.replace("two", "second"));
    expect(await project.merge(two.record, "mark")).toMatchObject({
      merged: true,
      changed: ["a.txt", "b.txt"],
    });
    expect(project.files.read("a.txt")).toBe(
      LINES.replace("two\n", "<<<<<<< this task\nfirst\n=======\nsecond\n>>>>>>> t.2\n"),
    );
  });

  test.each([
    ["keep", "parent\n"],
    ["take", "child\n"],
  ] as const)("in conflict are resolved by the choice %s", async (choice, expected) => {
    await using project = await openProject(START, { kind });
    const { files, record } = await project.open("t.1");
    files.write("a.txt", "child\n");
    files.write("other.txt", "o");
    project.files.write("a.txt", "parent\n");
    expect(await project.merge(record, choice)).toMatchObject({
      merged: true,
      conflicts: [{ path: "a.txt" }],
    });
    expect([project.files.read("a.txt"), project.files.read("other.txt")]).toEqual([expected, "o"]);
  });

  test("that delete a file which the parent changed are a conflict, and the other way round", async () => {
    await using project = await openProject(START, { kind });
    const { files, record } = await project.open("t.1");
    files.remove("gone.txt");
    project.files.write("gone.txt", "still used\n");
    files.write("moved.txt", "changed\n");
    project.files.remove("moved.txt");
    files.write("image.bin", BYTES);
    project.files.write("image.bin", Uint8Array.from([0, 9]));
    const { conflicts } = await project.merge(record, "mark");
    expect(conflicts).toEqual([
      { path: "gone.txt", reason: "the subtask deleted it, and the parent changed it" },
      { path: "image.bin", reason: "both created it" },
      { path: "moved.txt", reason: "the parent deleted it, and the subtask changed it" },
    ]);
    expect(await project.merge(record, "take")).toMatchObject({ merged: true });
    expect([project.files.has("gone.txt"), project.files.read("moved.txt")]).toEqual([false, "changed\n"]);
    expect(project.files.bytes("image.bin")).toEqual(Buffer.from(BYTES));
  });

  test("that are symlinks in the workspace are merged: added, changed and removed", async () => {
    await using project = await openProject({ ...START, "b/c.txt": "c\n" }, { kind });
    for (const name of ["changed", "removed", "kept"]) symlinkSync("a.txt", project.files.at(name));
    const { files, record } = await project.open("t.1");
    for (const name of ["changed", "removed"]) files.remove(name);
    symlinkSync("b/c.txt", files.at("changed"));
    mkdirSync(files.at("d/e"), { recursive: true });
    symlinkSync("../../b", files.at("d/e/up"));
    symlinkSync("later.txt", files.at("dangling"));
    files.remove("a.txt");
    symlinkSync("b/c.txt", files.at("a.txt"));
    expect((await project.isolation.changes(record)).text).toContain("modified changed (symlink)");
    expect(await project.merge(record)).toMatchObject({ merged: true, conflicts: [] });
    const targets = ["changed", "d/e/up", "dangling", "kept", "a.txt"].map((name) =>
      readlinkSync(project.files.at(name)),
    );
    expect(targets).toEqual(["b/c.txt", "../../b", "later.txt", "a.txt", "b/c.txt"]);
    expect(lstatSync(project.files.at("removed"), { throwIfNoEntry: false })).toBeUndefined();
  });

  test.each(["/etc/passwd", "../x", "b/../../x", "out/passwd"])(
    "that are symlinks to %s are a conflict",
    async (target) => {
      await using project = await openProject({ ...START, "b/c.txt": "c\n" }, { kind });
      symlinkSync("/etc", project.files.at("out"));
      const { files, record } = await project.open("t.1");
      symlinkSync(target, files.at("link"));
      const reason = expect.stringContaining("out of the workspace: create it by hand");
      expect(await project.merge(record, "take")).toEqual({
        merged: false,
        conflicts: [{ path: "link", reason }],
      });
      expect(await project.merge(record, "keep")).toMatchObject({ merged: true });
      expect(lstatSync(project.files.at("link"), { throwIfNoEntry: false })).toBeUndefined();
    },
  );

  test("that are symlinks which the parent changed as well are a conflict, which the choice resolves", async () => {
    await using project = await openProject({ ...START, "b/c.txt": "c\n" }, { kind });
    const { files, record } = await project.open("t.1");
    symlinkSync("b/c.txt", files.at("link"));
    symlinkSync("a.txt", project.files.at("link"));
    const conflicts = [{ path: "link", reason: "both created it" }];
    expect(await project.merge(record)).toEqual({ merged: false, conflicts });
    expect(await project.merge(record, "mark")).toEqual({ merged: false, conflicts });
    expect(await project.merge(record, "take")).toMatchObject({ merged: true, changed: ["link"] });
    expect(readlinkSync(project.files.at("link"))).toBe("b/c.txt");
  });

  test("that replace a symlink by a file, or are in a folder that the parent linked elsewhere, are not merged", async () => {
    await using project = await openProject({ ...START, "b/c.txt": "c\n" }, { kind });
    symlinkSync("a.txt", project.files.at("link"));
    const { files, record } = await project.open("t.1");
    files.remove("link");
    files.write("link", "text\n");
    expect(await project.merge(record, "take")).toMatchObject({
      merged: false,
      conflicts: [{ path: "link" }],
    });
    expect(project.files.read("a.txt")).toBe(START["a.txt"]);
    const { files: other, record: second } = await project.open("t.2");
    symlinkSync("c.txt", other.at("b/new"));
    project.files.remove("b");
    symlinkSync("/tmp", project.files.at("b"));
    expect(await project.merge(second, "take")).toMatchObject({ merged: false });
  });

  test("that .rooignore of the parent denies are not merged, nor anything beside them", async () => {
    await using project = await openProject(START, { kind });
    const { files, record } = await project.open("t.1");
    files.write("a.txt", "a");
    files.write("secret.txt", "s");
    project.files.write(".rooignore", "secret.txt\n");
    await expect(project.merge(record)).rejects.toThrow("'secret.txt' is blocked by .rooignore");
    expect(project.files.read("a.txt")).toBe(LINES);
    expect(files.read("secret.txt")).toBe("s");
  });

  test("are not merged if they are others than were approved", async () => {
    await using project = await openProject(START, { kind });
    const { files, record } = await project.open("t.1");
    files.write("a.txt", "a");
    const { version } = await project.isolation.changes(record);
    files.write("a.txt", "b");
    const workspace = await openWorkspace(project.files.dir);
    await expect(
      project.isolation.merge(record, { workspace, conflicts: "stop", expects: version }),
    ).rejects.toThrow("A file of t.1 has changed");
    expect(project.files.read("a.txt")).toBe(LINES);
  });

  test("are shown within a limit", async () => {
    await using project = await openProject(START, { kind, limits: { maxReportChars: 500 } });
    const { files, record } = await project.open("t.1");
    for (let each = 0; each < 50; each += 1) files.write(`folder/${each}.txt`, "text\n".repeat(20));
    const { text } = await project.isolation.changes(record);
    expect(text.length).toBeLessThan(600);
    expect(text).toMatch(/\[\.\.\. \d+ more files\]/);
  });

  test("are gone after remove, which leaves the files of the parent", async () => {
    await using project = await openProject(START, { kind });
    const { files, record } = await project.open("t.1");
    files.write("a.txt", "a");
    await project.isolation.remove(record);
    expect([project.files.read("a.txt"), files.has(".")]).toEqual([LINES, false]);
    expect(await project.isolation.list()).toEqual([]);
    await project.isolation.remove(record);
  });
});

test("the records of the subtasks of a task are listed without a read of other records, such as a damaged one", async () => {
  await using project = await openProject({ "a.txt": "a" });
  for (const id of ["t", "t.1", "t.2.1", "tt.1"]) await project.open(id);
  new Files(project.dataDir).write("worktrees/other.1/record.json", "{");
  expect((await project.isolation.list("t")).map(({ id }) => id)).toEqual(["t.1", "t.2.1"]);
  await expect(project.isolation.list()).rejects.toMatchObject({ code: "FAILED" });
});

describe("a merge", () => {
  test("that was interrupted is completed by the next one", async () => {
    await using project = await openProject({ "a.txt": LINES });
    const { files, record } = await project.open("t.1");
    files.write("a.txt", "a");
    files.write("b.txt", "b");
    project.files.write("a.txt", "a");
    expect(await project.merge(record)).toEqual({ merged: true, changed: ["b.txt"], conflicts: [] });
  });

  test("into a file that changes at that moment is refused, and the files of the task stay", async () => {
    await using project = await openProject({ "a.txt": LINES });
    const { files, record } = await project.open("t.1");
    files.write("a.txt", "a");
    const workspace = await openWorkspace(project.files.dir);
    const changing = {
      ...workspace,
      write: (...call: Parameters<typeof workspace.write>) => {
        project.files.write("a.txt", "mine");
        return workspace.write(...call);
      },
    };
    const merged = project.isolation.merge(record, { workspace: changing, conflicts: "stop" });
    await expect(merged).rejects.toThrow("'a.txt' has changed since");
    expect([project.files.read("a.txt"), files.read("a.txt")]).toEqual(["mine", "a"]);
  });

  test("of more files than the limit is refused with its name", async () => {
    await using project = await openProject({ "a.txt": LINES }, { limits: { maxChanges: 1 } });
    const { files, record } = await project.open("t.1");
    files.write("b.txt", "b");
    files.write("c.txt", "c");
    await expect(project.merge(record)).rejects.toThrow("at most 1 (maxChanges)");
  });

  test("of a worktree whose source was removed goes into a folder that is named", async () => {
    await using project = await openProject({ "a.txt": LINES });
    const parent = await project.open("t.1");
    const child = await project.open("t.1.1", { source: parent.files.dir, parentId: "t.1" });
    child.files.write("a.txt", "a");
    await project.isolation.remove(parent.record);
    expect((await project.isolation.changes(child.record)).text).toContain("+a");
    await project.merge(child.record);
    expect(project.files.read("a.txt")).toBe("a");
    expect(git(project.files.dir, "worktree", "list").trim().split("\n")).toHaveLength(1);
    expect(git(project.files.dir, "branch", "--list", "signalbox/*")).toBe("");
  });
});

describe("a copy", () => {
  test("of a copy has the files of that one", async () => {
    await using project = await openProject({ "a.txt": "a\n" }, { kind: "copy", isCommitted: false });
    const parent = await project.open("p");
    parent.files.write("b.txt", "b\n");
    const child = await project.open("p.c", { source: parent.files.dir });
    expect([child.files.read("a.txt"), child.files.read("b.txt")]).toEqual(["a\n", "b\n"]);
  });

  test("has nothing of a data folder in the workspace", async () => {
    const options = { kind: "copy", isCommitted: false, dataDir: "." } as const;
    await using project = await openProject({ "a.txt": "a\n", "tasks/t/journal.jsonl": "" }, options);
    const { files } = await project.open("c");
    expect([files.has("a.txt"), files.has("tasks"), files.has("worktrees")]).toEqual([true, false, false]);
  });

  test("is made where there is no repository, without ignored files", async () => {
    await using project = await openProject(
      { "a.txt": "a", ".gitignore": "*.log\n", "x.log": "x", "node_modules/m.js": "m" },
      { isCommitted: false },
    );
    const { files, record } = await project.open("t.1");
    expect(record.kind).toBe("copy");
    expect([files.read("a.txt"), files.has("x.log"), files.has("node_modules")]).toEqual(["a", false, false]);
  });

  test("is made where git is not installed", async () => {
    await using project = await openProject({ "a.txt": "a" });
    const isolation = new Isolation({
      dataDir: project.dataDir,
      clock: { now: () => 1 },
      ledger: project.ledger,
      env: { PATH: "/nonexistent" },
    });
    const { kind } = await isolation.open({ id: "t.1", source: project.files.dir, kind: "worktree" });
    expect(kind).toBe("copy");
  });

  test.each([
    [{ maxFiles: 1 }, "(maxFiles)"],
    [{ maxBytes: 3 }, "(maxBytes)"],
  ])("is refused with the name of the limit %o", async (limits, name) => {
    await using project = await openProject({ "a.txt": "aa", "b.txt": "bb" }, { kind: "copy", limits });
    await expect(project.open("t.1")).rejects.toThrow(name);
    expect(await project.isolation.list()).toEqual([]);
  });
});

describe("the files of a task", () => {
  test("are those that it has already, also for another process", async () => {
    await using project = await openProject({ "a.txt": "a" });
    const first = await project.open("t.1");
    first.files.write("a.txt", "b");
    const again = await project.open("t.1");
    expect(again.record).toEqual(first.record);
    expect(again.files.read("a.txt")).toBe("b");
  });

  test("are created at the same time for several tasks of a repository", async () => {
    await using project = await openProject({ "a.txt": "a" });
    const ids = ["t.1", "t.2", "t.3", "t.4"];
    const opened = await Promise.all(ids.map((id) => project.open(id)));
    for (const { files, record } of opened) files.write(`${record.id}.txt`, "new");
    for (const { record } of opened) expect(await project.merge(record)).toMatchObject({ merged: true });
    expect(ids.map((id) => project.files.has(`${id}.txt`))).toEqual([true, true, true, true]);
  });

  test("stay where the task removed the folder that it works in", async () => {
    await using project = await openProject({ "top.txt": "t", "app/a.txt": "a" });
    const source = project.files.at("app");
    const first = await project.open("t.1", { source });
    first.files.write("../top.txt", "changed");
    first.files.remove(".");
    const again = await project.open("t.1", { source });
    expect(again.files.read("../top.txt")).toBe("changed");
  });

  test("are created again if their process ended while it created them", async () => {
    await using project = await openProject({ "a.txt": "a" });
    const { record } = await project.open("t.1");
    await writeRecord(project.dataDir, { ...record, state: "creating" });
    project.files.write("a.txt", "b");
    const again = await project.open("t.1");
    expect(again.files.read("a.txt")).toBe("b");
  });

  test("have a branch of another name where the id is no name of a branch", async () => {
    await using project = await openProject({ "a.txt": "a" });
    const { files } = await project.open("a..lock");
    expect(git(files.dir, "branch", "--show-current")).toMatch(/^signalbox\/[0-9a-f]{24}\n$/);
  });

  test("are removed also where the user removed the worktree or the repository", async () => {
    await using project = await openProject({ "a.txt": "a" });
    const [one, two] = [await project.open("t.1"), await project.open("t.2")];
    git(project.files.dir, "worktree", "remove", "--force", one.record.folder);
    await expect(project.isolation.changes(one.record)).rejects.toThrow("was removed by somebody");
    await project.isolation.remove(one.record);
    project.files.remove(".");
    await project.isolation.remove(two.record);
    expect(await project.isolation.list()).toEqual([]);
  });

  test("keep the line breaks that a checkout gives them", async () => {
    await using project = await openProject({
      ".gitattributes": "*.txt text eol=crlf\n",
      "a.txt": "one\r\ntwo\r\nthree\r\n",
    });
    const { files, record } = await project.open("t.1");
    expect(files.read("a.txt")).toBe("one\r\ntwo\r\nthree\r\n");
    files.write("a.txt", "one\r\ntwo\r\nTHREE\r\n");
    project.files.write("a.txt", "ONE\r\ntwo\r\nthree\r\n");
    expect(await project.merge(record)).toMatchObject({ merged: true, conflicts: [] });
    expect(project.files.read("a.txt")).toBe("ONE\r\ntwo\r\nTHREE\r\n");
  });
});
