import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { installed } from "./installed.ts";
import { Process } from "./process.ts";

const box = installed();
const MOCK = ["--provider", "mock"];

/** A command whose output a shell redirects, as in `> /dev/full`. */
async function redirected(redirection: string, args: readonly string[], limit = "") {
  const quoted = [process.execPath, box.bin, ...args].map((word) => `'${word}'`).join(" ");
  const cwd = box.newFolder();
  const shell = new Process("--norc", ["-c", `${limit} ${quoted} ${redirection}`], {
    program: "/bin/bash",
    cwd,
  });
  const code = await shell.end();
  return { code, stdout: shell.stdout, stderr: shell.stderr, cwd };
}

describe.skipIf(!existsSync("/dev/full")).concurrent("output that can't be written", () => {
  test.each([
    ["--help", ["--help"]],
    ["list", ["list", "--data-dir", "data"]],
    ["list --format json", ["list", "--format", "json", "--data-dir", "data"]],
    ["doctor", ["doctor", ...MOCK, "--data-dir", "data"]],
    ["diagram", ["diagram", "--format", "table"]],
    ["verify", ["verify", "--max-states", "10"]],
    ["-p", ["run", "-p", ...MOCK, "--data-dir", "data", "Hello"]],
    ["json", ["run", "-p", "--output-format", "json", ...MOCK, "--data-dir", "data", "Hello"]],
    ["stream-json", ["run", "-p", "--output-format", "stream-json", ...MOCK, "--data-dir", "data", "Hello"]],
  ])("ends %s with code 1 and a word on stderr", async (_, args) => {
    const { code, stderr } = await redirected("> /dev/full", args);
    expect(code).toBe(1);
    expect(stderr).toContain("[CLI] Error: the output could not be written completely: ENOSPC");
  });

  test("is also what a full disk takes only in part", async () => {
    // The shell limits files to 1 KB: the first part is written.
    const { code, stderr, cwd } = await redirected(
      "> table.txt",
      ["diagram", "--format", "table"],
      "ulimit -f 1;",
    );
    expect(code).toBe(1);
    expect(stderr).toContain("the output could not be written completely: EFBIG");
    expect(readFileSync(path.join(cwd, "table.txt"))).toHaveLength(1024);
  });

  test("is written completely to a file that takes it", async () => {
    const { code, stderr, cwd } = await redirected("> table.txt", ["diagram", "--format", "table"]);
    expect([code, stderr]).toEqual([0, ""]);
    const { stdout } = await box.does("diagram", "--format", "table");
    expect(readFileSync(path.join(cwd, "table.txt"), "utf8")).toBe(stdout);
  });
});

describe("a reader that goes away", () => {
  test.each([
    ["diagram", ["diagram", "--format", "table"]],
    ["config schema", ["config", "schema"]],
  ])("ends %s quietly with the usual code", async (_, args) => {
    const quiet = await redirected("| head -c 10; code=$PIPESTATUS; echo; echo $code", args);
    expect(quiet.stderr).toBe("");
    expect(quiet.stdout.split("\n").at(-2)).toBe("0");
  });
});
