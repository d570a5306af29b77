import { execFileSync } from "node:child_process";
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";
import { builtinTools, type EditorPort, type Workspace } from "../../../tools/index.ts";
import { createRegistry } from "../../../tools/registry.ts";
import { MemoryEditor } from "../../support/editor.ts";
import { stillClock } from "../../support/still-clock.ts";

let base: string;
let root: string;
let editor: MemoryEditor;
let workspace: Workspace;
const at = (name: string): string => path.join(root, name);
const onDisk = (name: string): Promise<string> => readFile(at(name), "utf8");
const read = async (from: Workspace, name: string): Promise<string> =>
  Buffer.from(await from.read(name)).toString();
const openWith = (port: EditorPort, options = {}): Promise<Workspace> =>
  openWorkspace({ root, editor: port }, options);

beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), "editor-")));
  root = path.join(base, "root");
  await mkdir(at("folder"), { recursive: true });
  await writeFile(at("a.txt"), "saved\n");
  editor = new MemoryEditor(root);
  workspace = await openWith(editor);
});
afterEach(() => rm(base, { recursive: true, force: true }));

const registry = createRegistry(builtinTools());
const { signal } = new AbortController();

/** Prepare a call of a built-in tool and return what it would show, and its run. */
async function call(name: string, input: Record<string, unknown>) {
  const prepared = registry.find(name)?.prepare(input);
  if (prepared?.ok !== true) throw new Error(`expected a valid call of ${name}`);
  const { diff } = await prepared.call.describe({ workspace });
  const run = (): Promise<unknown> =>
    prepared.call.execute({
      workspace,
      shell: { program: "/bin/sh", run: () => Promise.reject(new Error("There is no shell.")) },
      signal,
      output: () => undefined,
      progress: () => undefined,
    });
  return { diff, run };
}

describe("a file with unsaved changes", () => {
  beforeEach(() => editor.unsaved.set("a.txt", "one\ntwo\n"));

  test("is read as the editor has it, also through a symlink, and another file as the disk has it", async () => {
    await symlink("a.txt", at("link"));
    await writeFile(at("folder/b.txt"), "b");
    expect(await read(workspace, "a.txt")).toBe("one\ntwo\n");
    expect(await read(workspace, at("a.txt"))).toBe("one\ntwo\n");
    expect(await read(workspace, "link")).toBe("one\ntwo\n");
    expect(await read(workspace, "folder/b.txt")).toBe("b");
    expect(editor.given).toEqual(["a.txt", "a.txt", "a.txt", "folder/b.txt"]);
  });

  test("that is not on disk yet is also read", async () => {
    editor.unsaved.set("folder/new.txt", "new");
    expect(await read(workspace, "folder/new.txt")).toBe("new");
    await expect(workspace.read("folder/none.txt")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("is searched as the disk has it", async () => {
    const search = (regex: string) => workspace.search({ path: ".", regex, limit: 10, signal });
    expect((await search("saved")).files).toMatchObject([{ path: "a.txt" }]);
    expect((await search("two")).files).toEqual([]);
  });

  test("is what apply_diff shows, and changes", async () => {
    const diff = "<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE";
    const { diff: shown, run } = await call("apply_diff", { path: "a.txt", diff });
    expect(shown).toContain("-two\n+2");
    await run();
    expect(await onDisk("a.txt")).toBe("one\n2\n");
    expect(editor.unsaved.size).toBe(0);
  });

  test("is what write_to_file shows as the text before", async () => {
    const { diff } = await call("write_to_file", { path: "a.txt", content: "one\n" });
    expect(diff).toContain("-two");
    expect(diff).not.toContain("saved");
  });

  test("L14: is not read over the limit of a file", async () => {
    const small = await openWith(editor, { maxFileBytes: 7 });
    await expect(small.read("a.txt")).rejects.toMatchObject({ code: "TOO_LARGE" });
  });

  test("is not read from disk if the editor does not say what it has", async () => {
    for (const readBuffer of [
      () => {
        throw new Error("no document");
      },
      () => Promise.reject(new Error("no document")),
    ])
      await expect((await openWith({ readBuffer })).read("a.txt")).rejects.toMatchObject({
        code: "FAILED",
        message: expect.stringContaining("'a.txt' has unsaved changes: no document."),
      });
    const wrong: object = { readBuffer: () => 5 };
    await expect((await openWith(wrong)).read("a.txt")).rejects.toThrow(
      "expected a string or undefined, received number",
    );
  });

  test("L14: is waited for up to the limit timeoutMs", async () => {
    const clock = stillClock();
    const readBuffer = (): Promise<undefined> => {
      setImmediate(() => clock.advance(70));
      return new Promise(() => {});
    };
    const slow = await openWorkspace({ root, editor: { readBuffer }, limits: { timeoutMs: 70 } }, { clock });
    await expect(slow.read("a.txt")).rejects.toMatchObject({
      code: "FAILED",
      message: expect.stringContaining("no answer within 70 ms"),
    });
  });

  test("is not written to disk behind an editor that does not save it", async () => {
    const readOnly = await openWith({ readBuffer: (name) => editor.readBuffer(name) });
    await expect(readOnly.write("a.txt", "x")).rejects.toMatchObject({
      code: "FAILED",
      message: expect.stringContaining("unsaved changes"),
    });
    await expect(workspace.write("a.txt", Buffer.from([1]))).rejects.toMatchObject({ code: "FAILED" });
    expect(await onDisk("a.txt")).toBe("saved\n");
    editor.unsaved.clear();
    await readOnly.write("a.txt", "x");
    expect(await onDisk("a.txt")).toBe("x");
  });
});

describe("saving through the editor", () => {
  test("is the only change of the file, and its missing folders are there before", async () => {
    const { ino } = await stat(at("a.txt"));
    expect(await workspace.write("a.txt", "new")).toEqual({ created: false, changed: false });
    expect(await workspace.write("x/y/b.txt", "b")).toEqual({ created: true, changed: false });
    expect(await onDisk("a.txt")).toBe("new");
    expect(await onDisk("x/y/b.txt")).toBe("b");
    expect(editor.given).toEqual(["save a.txt", "save x/y/b.txt"]);
    const after = await stat(at("a.txt"));
    expect(after.ino).toBe(ino);
    expect((await readdir(root)).sort()).toEqual(["a.txt", "folder", "x"]);
  });

  test("with a change of the text is reported to the model, which has to read the file", async () => {
    editor = new MemoryEditor(root, (text) => `${text}// formatted\n`);
    workspace = await openWith(editor);
    const content = "one\n";
    const changed = await (await call("write_to_file", { path: "a.txt", content })).run();
    expect(JSON.stringify(changed)).toContain("The editor changed the content");
    editor = new MemoryEditor(root, (text) => `\ufeff${text}`);
    workspace = await openWith(editor);
    const exact = await (await call("write_to_file", { path: "a.txt", content })).run();
    expect(JSON.stringify(exact)).toContain("exactly the content");
  });

  test.each([
    ["throws", () => Promise.reject(new Error("read-only")), "did not save 'a.txt': read-only."],
    ["writes nothing", async () => undefined, "the file on disk did not change"],
  ])("that %s is an error, and the file is as before", async (_, save, message) => {
    const broken = await openWith({ save });
    await expect(broken.write("a.txt", "new")).rejects.toMatchObject({
      code: "FAILED",
      message: expect.stringContaining(message),
    });
    expect(await onDisk("a.txt")).toBe("saved\n");
    await expect(broken.write("new.txt", "new")).rejects.toMatchObject({ code: "FAILED" });
  });

  test("L14: is waited for up to the limit saveTimeoutMs", async () => {
    const clock = stillClock();
    let waiting = 0;
    const save = (): Promise<void> => {
      setImmediate(() => {
        clock.advance(29_999);
        waiting = clock.pending;
        clock.advance(1);
      });
      return new Promise(() => {});
    };
    const slow = await openWith({ save }, { clock });
    await expect(slow.write("a.txt", "new")).rejects.toMatchObject({
      code: "FAILED",
      message: expect.stringContaining("within 30000 ms"),
    });
    expect(waiting).toBe(1);
  });
});

describe.each(["descriptors", "paths"] as const)("L9: checked by %s", (check) => {
  beforeEach(async () => {
    workspace = await openWith(editor, { check });
    await mkdir(path.join(base, "outside"));
    await writeFile(path.join(base, "outside/secret.txt"), "SECRET");
    await writeFile(at(".rooignore"), "secret*\n");
    await writeFile(at("secret.txt"), "SECRET");
  });

  test.each([
    ["outside", "../outside/secret.txt"],
    ["outside and new", "../outside/new.txt"],
    ["behind a symlink to a file", "link"],
    ["behind a symlink to a folder", "folder-link/secret.txt"],
    ["new behind a symlink to a folder", "folder-link/new.txt"],
    ["behind a dangling symlink", "dangling"],
    ["denied", "secret.txt"],
    ["denied and new", "secret-new.txt"],
    ["denied behind a symlink", "denied-link"],
    ["a folder", "folder"],
    ["a pipe", "pipe"],
  ])("a path %s never reaches the editor", async (_, name) => {
    await symlink(path.join(base, "outside/secret.txt"), at("link"));
    await symlink(path.join(base, "outside"), at("folder-link"));
    await symlink(path.join(base, "outside/new.txt"), at("dangling"));
    await symlink("secret.txt", at("denied-link"));
    execFileSync("mkfifo", [at("pipe")]);
    const code = expect.stringMatching(/OUTSIDE_WORKSPACE|IGNORED|NOT_FOUND|NOT_A_FILE/);
    await expect(workspace.read(name)).rejects.toMatchObject({ code });
    await expect(workspace.write(name, "changed")).rejects.toMatchObject({ code });
    expect(editor.given).toEqual([]);
  });

  test("the rules of access are not written through the editor", async () => {
    await expect(workspace.write(".rooignore", "")).rejects.toMatchObject({ code: "IGNORED" });
    expect(editor.given).toEqual([]);
  });

  test.each([
    ["outside", () => path.join(base, "outside")],
    ["inside", () => at("moved")],
  ])("a folder that becomes a symlink to one %s while the editor saves is detected", async (_, target) => {
    const moving: EditorPort = {
      async save() {
        await rename(at("folder"), at("moved"));
        await symlink(target(), at("folder"));
        await writeFile(at("folder/b.txt"), "new");
      },
    };
    await expect((await openWith(moving, { check })).write("folder/b.txt", "new")).rejects.toMatchObject({
      code: "OUTSIDE_WORKSPACE",
    });
  });
});
