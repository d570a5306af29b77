import { EventEmitter } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { main } from "../../cli/main.ts";

/** The command in this process, with nothing on its input. */
async function signalbox(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const io = Object.assign(new EventEmitter(), {
    stdin: new PassThrough().end(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    // A test must not depend on the settings of who runs it.
    env: { XDG_CONFIG_HOME: path.join(tmpdir(), "signalbox-no-config") },
  });
  const code = await main(args, io);
  const said = (stream: PassThrough): string => String(stream.read() ?? "");
  return { code, stdout: said(io.stdout), stderr: said(io.stderr) };
}

describe("an invalid command line is rejected with the valid options", () => {
  test.each([
    [["--prvider", "mock", "x"], "Did you mean --provider?"],
    [["--frobnicate", "x"], "Options: -w, --workspace; -p, --print;"],
    [["--provider", "other", "x"], "Allowed choices are anthropic, openai, google, openai-compatible, mock."],
    [["-p", "--output-format", "xml", "x"], "Allowed choices are text, json, stream-json."],
    [["--queue-delivery", "two", "x"], "Allowed choices are one, all."],
    [["--output-format", "stream-json", "x"], "Add --print."],
    [["--stdin-prompt-stream"], "--stdin-prompt-stream requires --print"],
    [["-p", "--stdin-prompt-stream"], "Add --output-format stream-json."],
    [["-p", "--signal-only-exit", "x"], "Add --stdin-prompt-stream."],
    [["-p", "--output-format", "stream-json", "--stdin-prompt-stream", "x"], "Leave the prompt out"],
    [["--output-format", "json", "x"], "Add --print."],
    [["--script", "x.yaml", "x"], "Add --provider mock."],
    [["-y", "-a", "x"], "cannot be used with option"],
    [["-y", "--permission-mode", "plan", "x"], "cannot be used with option"],
    [["--permission-mode", "yolo", "x"], "Allowed choices are plan, ask, auto-edit, auto, bypass."],
    [["config", "list"], "unknown command"],
    [["x", "--prompt-file", "y"], "expected one of them"],
    [["--prompt-file", "/no/such/file"], "--prompt-file can't be read"],
    [["-p", "--provider", "mock"], "no prompt: expected one"],
    [["-p", "--provider", "mock", "  "], "the prompt is empty"],
    [["-p", "--provider", "mock", "-w", "/no/such/folder", "x"], "does not exist: expected a folder"],
    [["--consecutive-mistake-limit", "-1", "x"], "Expected a whole number"],
    [["--provider", "mock", "--script", "/no/such/file", "x"], "can't read the script"],
    [["mock", "--port", "99999"], "Expected a port from 0 to 65535."],
    [["mokc"], "Did you mean mock?"],
    [["diagam", "--full"], "Did you mean diagram?"],
    [["diagram", "--format", "gif"], "Allowed choices are mermaid, svg, table, json."],
  ])("%j", async (args, words) => {
    const { code, stdout, stderr } = await signalbox(...args);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^\[CLI\] Error: /);
    expect(stderr).toContain(words);
    expect(stdout).toBe("");
  });
});

test("an invalid script is rejected with its line", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
  const script = path.join(folder, "wrong.yaml");
  writeFileSync(script, "turns:\n  - text: good\n  - status: 500\n    retry: 3\n");
  const { code, stderr } = await signalbox("--provider", "mock", "--script", script, "x");
  expect(code).toBe(1);
  expect(stderr).toContain(`${script}:4:5: turns[1]: expected`);
  rmSync(folder, { recursive: true });
});

test("the machine is drawn as a picture or a table", async () => {
  expect((await signalbox("diagram")).stdout).toMatch(/^stateDiagram-v2\n/);
  const table = await signalbox("diagram", "--format", "table");
  expect(table.code).toBe(0);
  expect(table.stdout).toMatch(/no_task\s+\| task\.start\s+\|\s+\| running/);
});

test("--version prints the version of the package", async () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(await signalbox("--version")).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
});

test("a prompt of one word is no misspelled command", async () => {
  expect((await signalbox("refactor")).stderr).toContain("no API key");
});

test.each([["--help"], ["run", "--help"], ["help"]])("help ends with code 0: %s", async (...args) => {
  const { code, stdout } = await signalbox(...args);
  expect(code).toBe(0);
  expect(stdout).toContain("Usage: signalbox");
});
