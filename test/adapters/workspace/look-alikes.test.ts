import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemShell } from "../../../adapters/shell/shell.ts";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";
import { builtinTools, type Workspace } from "../../../tools/index.ts";
import { createRegistry } from "../../../tools/registry.ts";

const registry = createRegistry(builtinTools({ include: ["edit_file", "apply_patch"] }));
const { signal } = new AbortController();
let root: string;
let workspace: Workspace;
const at = (name: string): string => path.join(root, name);
const put = (name: string, content = "text\n") => writeFile(at(name), content);

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), "alike-")));
  workspace = await openWorkspace(root);
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function call(name: string, input: Record<string, unknown>): Promise<string> {
  const preparation = registry.find(name)?.prepare(input);
  if (preparation?.ok !== true) throw new Error("not prepared");
  await preparation.call.describe({ workspace });
  const ports = { workspace, shell: systemShell(), signal, output: () => {}, progress: () => {} };
  const [block] = (await preparation.call.execute(ports)).content;
  return block?.type === "text" ? block.text : "";
}

/** The name as a model sends it, and as the file has it. */
const NAMES: readonly (readonly [string, string, string])[] = [
  ["a narrow no-break space", "at 9 AM.txt", "at 9\u202fAM.txt"],
  ["a no-break space", "a b.txt", "a\u00a0b.txt"],
  ["decomposed letters", "caf\u00e9.txt", "cafe\u0301.txt"],
  ["composed letters", "cafe\u0301.txt", "caf\u00e9.txt"],
  ["a curly quote", "Don't.txt", "Don\u2019t.txt"],
  ["a dash", "a-b.txt", "a\u2013b.txt"],
];

describe.each(NAMES)("a file whose name has %s", (_, sent, name) => {
  test("is found where it is the only one: to read, search and edit it", async () => {
    await put(name);
    expect(Buffer.from(await workspace.read(sent)).toString()).toBe("text\n");
    expect(await workspace.resolve(sent)).toMatchObject({ path: name, real: at(name), inside: true });
    const times = await workspace.changeTimes([sent, name]);
    expect(times.get(sent)).toBe(times.get(name));
    expect(await call("search_files", { path: sent, regex: "text" })).toContain("1 matching line");
    await call("edit_file", { path: sent, old_string: "text", new_string: "new" });
    await call("apply_diff", {
      path: sent,
      diff: "<<<<<<< SEARCH\nnew\n=======\nnewer\n>>>>>>> REPLACE",
    });
    const patch = `*** Begin Patch\n*** Update File: ${sent}\n@@\n-newer\n+newest\n*** End Patch`;
    await call("apply_patch", { patch });
    expect(await readFile(at(name), "utf8")).toBe("newest\n");
    await expect(readFile(at(sent))).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("is not written by a call that creates a file: the result names it", async () => {
    await put(name);
    const result = await call("write_to_file", { path: sent, content: "other" });
    expect(result).toContain(`another one has a name that looks the same, '${name}'`);
    expect(await readFile(at(name), "utf8")).toBe("text\n");
    expect(await readFile(at(sent), "utf8")).toBe("other");
  });
});

test("a folder whose name has another space is found in a path, and listed", async () => {
  await mkdir(at("a\u202fb/c\u00a0d"), { recursive: true });
  await put("a\u202fb/c\u00a0d/e.txt");
  expect(await workspace.list("a b/c d", { recursive: false, limit: 9 })).toMatchObject({
    names: ["a\u202fb/c\u00a0d/e.txt"],
  });
  expect(await workspace.glob({ path: "a b", pattern: "*.txt", limit: 9, signal })).toMatchObject({
    names: ["a\u202fb/c\u00a0d/e.txt"],
  });
});

test("several names that look alike are listed in the error, and none is chosen", async () => {
  await put("a\u202fb.txt");
  await put("a\u00a0b.txt");
  await expect(workspace.read("a b.txt")).rejects.toMatchObject({
    code: "NOT_FOUND",
    message:
      "'a b.txt' does not exist. Did you mean 'a\u00a0b.txt' (with U+00A0) or 'a\u202fb.txt' (with U+202F)? Send one of these names, exactly.",
  });
  expect(Buffer.from(await workspace.read("a\u00a0b.txt")).toString()).toBe("text\n");
});

test("a name that exists means no other file", async () => {
  await put("a b.txt", "plain");
  await put("a\u00a0b.txt");
  expect(Buffer.from(await workspace.read("a b.txt")).toString()).toBe("plain");
});

test("a denied file is neither found nor named, and none outside", async () => {
  await put("a\u202fb.txt");
  await put("a\u00a0b.txt");
  await put(".rooignore", "a?b.txt\n");
  await expect(workspace.read("a b.txt")).rejects.toMatchObject({
    message: expect.not.stringContaining("U+"),
  });
  await mkdir(at("inner"));
  await symlink(root, at("inner/out"));
  const inner = await openWorkspace(at("inner"));
  await expect(inner.read("out/c d.txt")).rejects.toMatchObject({ code: "OUTSIDE_WORKSPACE" });
  await put("c\u00a0d.txt");
  await expect(inner.read("out/c d.txt")).rejects.toMatchObject({ code: "OUTSIDE_WORKSPACE" });
  await expect(inner.read("../c d.txt")).rejects.toMatchObject({ code: "OUTSIDE_WORKSPACE" });
});
