import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
const checkout = path.join(folder, "checkout");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const git = (...args: readonly string[]): string =>
  execFileSync("git", args, { cwd: checkout, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
const textOf = (file: string): string => readFileSync(path.join(checkout, file), "utf8");

/** The release script, to its end. */
function release(...args: readonly string[]) {
  const tsx = path.join(root, "node_modules/tsx/dist/cli.mjs");
  const program = [tsx, path.join(checkout, ".ci/release.ts"), ...args];
  return spawnSync(process.execPath, program, { cwd: checkout, encoding: "utf8" });
}

/** A repository with the files as they are now, and the modules that are installed. */
beforeAll(() => {
  const list = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  const files = execFileSync("git", list, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 }).split("\0");
  for (const file of files.filter((each) => each !== ""))
    cpSync(path.join(root, file), path.join(checkout, file), { errorOnExist: false });
  symlinkSync(path.join(root, "node_modules"), path.join(checkout, "node_modules"));
  const changed = "## Unreleased\n\n### Fixed\n\n- A fault.";
  const changelog = textOf("CHANGELOG.md").replace("## Unreleased", () => changed);
  writeFileSync(path.join(checkout, "CHANGELOG.md"), changelog);
  git("init", "--quiet");
  git("config", "user.name", "A person");
  git("config", "user.email", "a@person.example");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Add the files");
});

test.each([
  ["no version", [], "Expected a version such as 0.2.0"],
  ["a version with a word", ["0.2.0-next"], "Expected a version such as 0.2.0"],
])("%s is refused", (_, args, words) => {
  const { status, stderr } = release(...args);
  expect(status).toBe(1);
  expect(stderr).toContain(words);
  expect(git("status", "--porcelain")).toBe("");
});

test("a release has one version in all packages, a dated section, a commit and a tag; nothing is published", () => {
  const { status, stdout, stderr } = release("7.8.9");
  expect(status, stderr).toBe(0);
  for (const file of ["package.json", "cli/package.json", "cluster/package.json", "visualize/package.json"])
    expect(JSON.parse(textOf(file)).version).toBe("7.8.9");
  expect(JSON.parse(textOf("cli/package.json")).dependencies["@signalbox/debugger"]).toBe("7.8.9");
  expect(JSON.parse(textOf("cluster/package.json")).peerDependencies.signalbox).toBe("7.8.9");
  expect(JSON.parse(textOf("examples/editor/package.json")).dependencies.signalbox).toBe("^7.8.9");
  expect(textOf("wire/version.ts")).toContain('VERSION = "7.8.9"');
  expect(textOf("CHANGELOG.md")).toMatch(/## Unreleased\n\n## 7\.8\.9 - \d{4}-\d\d-\d\d\n\n### /);
  expect(git("log", "-1", "--format=%s").trim()).toBe("Release 7.8.9");
  expect(git("tag", "--list").trim()).toBe("v7.8.9");
  expect(git("status", "--porcelain")).toBe("");
  for (const name of ["signalbox", "@signalbox/cli", "@signalbox/cluster", "@signalbox/debugger"])
    expect(stdout).toContain(`+ ${name}@7.8.9`);

  const again = release("7.8.9");
  expect(again.status).toBe(1);
  expect(again.stderr).toContain("The tag v7.8.9 exists.");
});
