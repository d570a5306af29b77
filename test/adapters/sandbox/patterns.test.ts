import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { accessesOf, accessTo } from "../../../adapters/sandbox/accesses.ts";
import { type PatternLimits, withoutPatterns } from "../../../adapters/sandbox/patterns.ts";
import { temporaryFolder } from "../../cli/process.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());
const workspace = path.join(folder.path, "work");
for (const name of [
  ".env",
  "a/.env",
  "a/b/.env",
  "a/b/x.env",
  "secrets/one.key",
  "secrets/.two",
  "other/one.key",
]) {
  mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true });
  writeFileSync(path.join(workspace, name), "");
}
symlinkSync("a", path.join(workspace, "link"));

const found = async (...denyRead: readonly string[]) => {
  const { denyRead: all = [] } = await withoutPatterns({ denyRead }, workspace);
  return all.map((file) => path.relative(workspace, file)).sort();
};

describe("a pattern of a sandbox", () => {
  test("is the files and folders that exist, at any depth, without those behind links", async () => {
    expect(await found("**/.env")).toEqual([".env", "a/.env", "a/b/.env"]);
    expect(await found("secrets/*")).toEqual(["secrets/.two", "secrets/one.key"]);
    expect(await found("*/one.?ey")).toEqual(["other/one.key", "secrets/one.key"]);
    expect(await found("a/**/*.env")).toEqual(["a/.env", "a/b/.env", "a/b/x.env"]);
    expect(await found("secrets/**")).toEqual(["secrets"]);
    expect(await found(`${workspace}/sec*`)).toEqual(["secrets"]);
    expect(await found("none/*", "*.none")).toEqual([]);
  });

  test("denies what it matches, and nothing else", async () => {
    const options = await withoutPatterns({ denyRead: ["**/.env"], denyWrite: ["secrets/*"] }, workspace);
    const accesses = accessesOf(options, workspace);
    const levelOf = (name: string) => accessTo(accesses, path.join(workspace, name));
    expect(["a/b/.env", "a/b/x.env", "secrets/one.key", "secrets/new"].map(levelOf)).toEqual([
      "none",
      "write",
      "read",
      "write",
    ]);
  });

  test("leaves paths without wildcards as they are", async () => {
    const options = { write: ["~/.npm"], denyRead: [".env", "app/[id]/{a}"], hosts: ["*.a.test"] };
    expect(await withoutPatterns(options, workspace)).toEqual(options);
  });

  test.each([
    [{ maxMatches: 2, maxEntries: 1_000 }, "at most 2 matches of all patterns (maxMatches)"],
    [
      { maxMatches: 100, maxEntries: 5 },
      "at most 5 files and folders to look at of all patterns (maxEntries)",
    ],
  ] satisfies [PatternLimits, string][])(
    "beyond a limit is refused, and nothing is left out: %o",
    async (limits, message) => {
      const options = { denyRead: ["**/.env"] };
      await expect(withoutPatterns(options, workspace, limits)).rejects.toMatchObject({
        code: "SANDBOX_PATTERN",
        message: expect.stringContaining(`sandbox.denyRead: **/.env: expected ${message}`),
      });
    },
  );

  // Root reads every folder.
  test.skipIf(process.getuid?.() === 0)(
    "is refused where a command could open a folder that can't be searched",
    async () => {
      const closed = path.join(workspace, "closed");
      mkdirSync(closed);
      chmodSync(closed, 0);
      await expect(found("**/.env")).rejects.toMatchObject({ code: "SANDBOX_PATTERN" });
      chmodSync(closed, 0o700);
    },
  );
});
