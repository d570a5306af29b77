import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";
import type { Workspace } from "../../../tools/index.ts";

let base: string;
let outside: string;
let workspace: Workspace;

beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), "confinement-")));
  outside = path.join(base, "outside");
  await mkdir(path.join(base, "inside", "folder"), { recursive: true });
  await mkdir(path.join(outside, "deep"), { recursive: true });
  await writeFile(path.join(base, "inside", "own.txt"), "own");
  await writeFile(path.join(outside, "secret.txt"), "SECRET");
  await writeFile(path.join(outside, "deep", "secret.txt"), "SECRET");
  await writeFile(path.join(outside, "deep", "only-outside"), "SECRET");
  workspace = await openWorkspace(path.join(base, "inside"));
});
afterEach(() => rm(base, { recursive: true, force: true }));

const at = (name: string): string => path.join(base, "inside", name);
const outsideError = { name: "ToolError", code: "OUTSIDE_WORKSPACE" };

describe.each(["descriptors", "paths"] as const)("L9: confinement, checked by %s", (check) => {
  beforeEach(async () => {
    workspace = await openWorkspace(path.join(base, "inside"), { check });
  });

  test.each([
    "../outside/secret.txt",
    "folder/../../outside/secret.txt",
    "../inside-not",
    "..",
    "/etc/passwd",
    "/",
    "../outside/not there",
  ])("L9: %s is neither read, written, listed nor searched", async (named) => {
    await expect(workspace.read(named)).rejects.toMatchObject(outsideError);
    await expect(workspace.write(named, "changed")).rejects.toMatchObject(outsideError);
    await expect(workspace.list(named, { recursive: true, limit: 10 })).rejects.toMatchObject(outsideError);
    await expect(search(named)).rejects.toMatchObject(outsideError);
    await expectUnchanged();
  });

  test("L9: a symlink to a file outside is neither read nor written through", async () => {
    await symlink(path.join(outside, "secret.txt"), at("link"));
    await expect(workspace.read("link")).rejects.toMatchObject(outsideError);
    await expect(workspace.write("link", "changed")).rejects.toMatchObject(outsideError);
    await expectUnchanged();
  });

  test("L9: nothing is created through a symlink to a folder outside, nor through a dangling one", async () => {
    await symlink(outside, at("folder-link"));
    await symlink(path.join(outside, "new.txt"), at("dangling"));
    await symlink(path.join(outside, "new-folder"), at("dangling-folder"));
    for (const named of ["folder-link/new.txt", "folder-link/a/b.txt", "dangling", "dangling-folder/a.txt"]) {
      await expect(workspace.write(named, "changed")).rejects.toMatchObject(outsideError);
    }
    await expectUnchanged();
  });

  test("symlinks that stay inside are followed, and their target stays a file", async () => {
    await symlink("own.txt", at("link"));
    await symlink("folder", at("folder-link"));
    expect(text(await workspace.read("link"))).toBe("own");
    await workspace.write("link", "changed");
    await workspace.write("folder-link/new.txt", "new");
    expect(await readFile(at("own.txt"), "utf8")).toBe("changed");
    expect(await readFile(at("folder/new.txt"), "utf8")).toBe("new");
  });

  test("a cycle of symlinks is not a file", async () => {
    await symlink("b", at("a"));
    await symlink("a", at("b"));
    await expect(workspace.read("a")).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(workspace.write("a/x", "")).rejects.toMatchObject({ name: "ToolError" });
    expect((await workspace.resolve("a")).inside).toBe(false);
  });

  test("L9: listing and searching follow no symlink", async () => {
    await symlink(outside, at("folder-link"));
    await symlink(path.join(outside, "secret.txt"), at("link"));
    const { names } = await workspace.list(".", { recursive: true, limit: 100 });
    expect(names).toEqual(["folder/", "folder-link", "link", "own.txt"]);
    expect((await search(".", "SECRET|own")).files.map((file) => file.path)).toEqual(["own.txt"]);
  });

  test("L9: with any path of '..', absolute parts and symlinks, nothing outside is read or changed", async () => {
    await symlink("..", at("up"));
    await symlink("../..", at("folder/up"));
    await symlink(outside, at("out"));
    await symlink("folder", at("in"));
    await symlink(path.join(base, "inside"), path.join(outside, "back"));
    const part = fc.constantFrom(
      ...["..", ".", "up", "out", "in", "folder", "back", "deep", "inside", "outside"],
      ...["secret.txt", "own.txt", "new", "\0", "a".repeat(300), "", "folder-link"],
    );
    const anyPath = fc
      .tuple(
        fc.constantFrom("", "/", `${base}/`, `${base}/inside/`, `${base}/outside/`, "/proc/self/root/"),
        fc.array(part, { minLength: 1, maxLength: 7 }),
      )
      .map(([start, parts]) => start + parts.join("/"));
    await fc.assert(
      fc.asyncProperty(anyPath, async (named) => {
        const seen = await workspace.read(named).then(text, codeOf);
        expect(seen).not.toContain("SECRET");
        await workspace.write(named, "changed").catch(codeOf);
        const listed = await workspace.list(named, { recursive: true, limit: 50 }).catch(codeOf);
        expect(JSON.stringify(listed)).not.toContain("only-outside");
        const { real, inside } = await workspace.resolve(named);
        if (inside) expect(`${real}/`.startsWith(`${base}/inside/`)).toBe(true);
        await expectUnchanged();
      }),
      { numRuns: 150 },
    );
  });
});

async function expectUnchanged(): Promise<void> {
  for (const name of ["secret.txt", "deep/secret.txt"]) {
    expect(await readFile(path.join(outside, name), "utf8")).toBe("SECRET");
  }
  const known = await openWorkspace(outside, { hiddenNames: [] });
  const { names } = await known.list(".", { recursive: true, limit: 100 });
  expect(names.filter((name) => name !== "back")).toEqual([
    "deep/",
    "secret.txt",
    "deep/only-outside",
    "deep/secret.txt",
  ]);
}

function search(named: string, regex = "SECRET") {
  return workspace.search({ path: named, regex, limit: 10, signal: new AbortController().signal });
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}

function codeOf(error: unknown): string {
  expect(error).toMatchObject({ name: "ToolError" });
  return "refused";
}
