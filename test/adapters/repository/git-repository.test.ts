import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { gitRepository } from "../../../adapters/repository/git-repository.ts";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";

let base: string;
let root: string;
const { signal } = new AbortController();
const read = { maxBytes: 100_000, signal };

const SETTINGS = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];

function git(...args: readonly string[]): string {
  return execFileSync("git", [...SETTINGS, ...args], { cwd: base, encoding: "utf8", stdio: "pipe" }).trim();
}

/** The last commit, with a signature: to show it, git may start the program that checks signatures. */
function signed(): string {
  const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n aa==\n -----END PGP SIGNATURE-----";
  const input = `${git("cat-file", "commit", "HEAD").replace("\n\n", `\n${signature}\n\n`)}\n`;
  const args = ["hash-object", "-t", "commit", "-w", "--stdin"];
  return execFileSync("git", args, { cwd: base, encoding: "utf8", input }).trim();
}

/** A repository in the workspace that is a submodule of the outer one, and has changes. */
async function addSubmodule(settings: readonly (readonly [string, string])[]): Promise<void> {
  const inner = (...args: readonly string[]) => git("-C", "work/inner", ...args);
  await write("work/inner/.gitattributes", "*.txt filter=inner\n");
  await write("work/inner/c.txt", "c\n");
  inner("init", "--quiet");
  inner("add", "--all");
  inner("commit", "--quiet", "--message", "Inner");
  git("add", "work/inner");
  git("commit", "--quiet", "--message", "Submodule");
  await write("work/inner/c.txt", "d\n");
  for (const [name, value] of settings) inner("config", name, value);
}

async function write(name: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.join(base, name)), { recursive: true });
  await writeFile(path.join(base, name), text);
}

function commit(message: string): string {
  git("add", "--all");
  git("commit", "--quiet", "--message", message);
  return git("rev-parse", "HEAD");
}

const repository = async (env?: NodeJS.ProcessEnv) =>
  gitRepository(await openWorkspace(root), env === undefined ? {} : { env });
const changes = async (): Promise<string> => (await repository()).changes(read);

/** The workspace is a folder of the repository. */
beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), "repository-")));
  root = path.join(base, "work");
  await write("work/a.txt", "one\n");
  await write("work/secret.txt", "password 1\n");
  await write("outside.txt", "outside 1\n");
  await write("work/.rooignore", "secret*\n");
});
afterEach(() => rm(base, { recursive: true, force: true }));

describe("the changes of a repository", () => {
  beforeEach(() => {
    git("init", "--quiet");
    commit("First");
  });

  test("are the status and the diff of the workspace's files", async () => {
    expect(await changes()).toBe("No changes.");
    await write("work/a.txt", "two\n");
    await write("work/new.txt", "new\n");
    const text = await changes();
    expect(text).toMatch(/^ M a.txt\n\?\? new.txt\n\ndiff --git a\/a.txt b\/a.txt\n/);
    expect(text).toContain("\n-one\n+two");
  });

  test("have no file that .rooignore denies, in status, diff or conflict, and no file outside the workspace", async () => {
    await write("work/a.txt", "two\n");
    await write("work/secret.txt", "password 2\n");
    await write("work/secret-new.txt", "password 3\n");
    await write("outside.txt", "outside 2\n");
    const text = await changes();
    expect(text).toContain("+two");
    expect(text).not.toMatch(/password|secret|outside/);
    expect(text).toMatch(/\(left out: 1 file, denied or behind a symlink\)$/);
  });

  test("have no denied file of a conflict", async () => {
    git("checkout", "--quiet", "-b", "other");
    await write("work/secret.txt", "password 2\n");
    commit("Second");
    git("checkout", "--quiet", "-");
    await write("work/secret.txt", "password 3\n");
    commit("Third");
    expect(() => git("merge", "--quiet", "other")).toThrow();
    await write("work/a.txt", "two\n");
    expect(await changes()).not.toMatch(/password|secret/);
  });

  test("have no earlier text of a denied file whose folder is now a symlink to another one", async () => {
    await write("work/private/key.txt", "password\n");
    await write("work/public/key.txt", "public\n");
    commit("Second");
    await write("work/.rooignore", "private\n");
    await rm(path.join(root, "private"), { recursive: true });
    await symlink("public", path.join(root, "private"));
    expect(await changes()).not.toContain("password");
  });

  test("have the names of files with special characters", async () => {
    await write('work/ä "b"\t.txt', "one\n");
    git("add", "--all");
    const text = await changes();
    expect(text).toContain('A  ä "b"\t.txt');
    expect(text).toContain("+one");
    await write("work/.rooignore", "secret*\nä*\n");
    expect(await changes()).not.toContain("+one");
  });

  test("take the text of a file that looks like a header as text", async () => {
    await write("work/a.txt", "diff --git a/secret.txt b/secret.txt\n");
    expect(await changes()).toContain("+diff --git a/secret.txt b/secret.txt");
  });

  test("are cut at the limit, with a mark", async () => {
    await write("work/a.txt", "x\n".repeat(10_000));
    const text = await (await repository()).changes({ maxBytes: 1_000, signal });
    expect(text.length).toBeLessThan(1_200);
    expect(text).toMatch(/\(the diff was cut at the limit\)$/);
  });

  test("start no program that the repository's settings name", async () => {
    const ran = path.join(base, "ran");
    const script = path.join(base, "script.sh");
    await writeFile(script, `#!/bin/sh\necho "$0" >> '${ran}'\ncat\n`);
    await chmod(script, 0o755);
    await write("work/.gitattributes", "*.txt filter=x diff=x\n");
    await write("work/a.txt", "two\n");
    await addSubmodule([
      ["core.fsmonitor", script],
      ["filter.inner.clean", script],
    ]);
    for (const setting of [
      "core.fsmonitor",
      "core.pager",
      "diff.external",
      "diff.x.textconv",
      "diff.x.command",
    ])
      git("config", setting, script);
    for (const setting of ["clean", "smudge", "process"]) git("config", `filter.x.${setting}`, script);
    git("config", "filter.x.required", "true");
    git("config", "log.showSignature", "true");
    git("config", "gpg.program", script);
    git("config", "core.hooksPath", base);
    await writeFile(path.join(base, "post-index-change"), `#!/bin/sh\necho hook >> '${ran}'\n`, {
      mode: 0o755,
    });

    expect(await changes()).toContain("+two");
    expect(await (await repository()).commit(signed(), read)).toContain("inner (+1 -0)");
    expect(existsSync(ran)).toBe(false);
  });

  test("are refused with a filter that can't be disabled", async () => {
    git("config", "filter.a=b.clean", "cat");
    await expect(changes()).rejects.toMatchObject({ code: "FAILED" });
  });

  test("change nothing in the repository", async () => {
    await write("work/a.txt", "two\n");
    const before = git("hash-object", ".git/index");
    await changes();
    expect(git("hash-object", ".git/index")).toBe(before);
  });

  test("are not read after an abort", async () => {
    await expect(
      (await repository()).changes({ maxBytes: 100, signal: AbortSignal.abort(new Error("enough")) }),
    ).rejects.toThrow("enough");
  });
});

test("a repository without a commit has a status only", async () => {
  git("init", "--quiet");
  git("add", "--all");
  expect(await changes()).toBe(
    "A  .rooignore\nA  a.txt\n\n(The repository has no commit: there is no diff.)",
  );
});

describe("a commit", () => {
  beforeEach(() => {
    git("init", "--quiet");
  });

  test("has its message, the lines of each file and its diff, of the workspace's files that are not denied", async () => {
    commit("First");
    await write("work/a.txt", "two\n");
    await write("work/secret.txt", "password 2\n");
    await write("outside.txt", "outside 2\n");
    const hash = commit("Second\n\nWith a reason.");
    const text = await (await repository()).commit(hash.slice(0, 7), read);
    expect(text).toMatch(
      /^commit [0-9a-f]{40}\nAuthor: Ada <ada@example.com>\nDate: .*\n\nSecond\n\nWith a reason.\n\na.txt \(\+1 -1\)\n\ndiff --git /,
    );
    expect(text).toContain("-one\n+two");
    expect(text).not.toMatch(/password|secret|outside/);
  });

  test("that is a merge has the changes since its first parent", async () => {
    commit("First");
    git("checkout", "--quiet", "-b", "other");
    await write("work/b.txt", "b\n");
    commit("Second");
    git("checkout", "--quiet", "-");
    await write("work/c.txt", "c\n");
    commit("Third");
    git("merge", "--quiet", "--no-ff", "--message", "Merge", "other");
    const text = await (await repository()).commit(git("rev-parse", "HEAD"), read);
    expect(text).toContain("+b");
    expect(text).not.toContain("+c");
  });

  test("that does not exist is not found", async () => {
    commit("First");
    const reading = (await repository()).commit("0123456", read);
    await expect(reading).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: expect.stringContaining("0123456"),
    });
  });
});

test("outside a repository, reads fail with the reason", async () => {
  await expect(changes()).rejects.toThrow("not a git repository");
  await expect((await repository()).commit("0123456", read)).rejects.toThrow("not a git repository");
});

test("without git, reads fail with the reason", async () => {
  const reading = (await repository({ PATH: base })).changes(read);
  await expect(reading).rejects.toThrow("git could not be started");
});
