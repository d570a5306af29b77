// cspell:words docter lsit prüfen statsu
import { EventEmitter } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { Command, Help } from "commander";
import { describe, expect, test } from "vitest";
import { COMMANDS, ROO_RUN } from "../../cli/commands/commands.ts";
import { main, type ProgramName } from "../../cli/main.ts";

/** The command in this process, with nothing on its input. */
const signalbox = (...args: string[]) => called("signalbox", ...args);

async function called(
  name: ProgramName,
  ...args: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const io = Object.assign(new EventEmitter(), {
    stdin: new PassThrough().end(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    // A test must not depend on the settings of who runs it.
    env: { XDG_CONFIG_HOME: path.join(tmpdir(), "signalbox-no-config") },
  });
  const code = await main(args, io, name);
  const said = (stream: PassThrough): string => String(stream.read() ?? "");
  return { code, stdout: said(io.stdout), stderr: said(io.stderr) };
}

describe("one word is not a prompt: it may be a command that does not exist", () => {
  test.each([
    [
      ["docter"],
      'unknown command "docter". Did you mean doctor? To use it as a prompt: signalbox run docter',
    ],
    [["lst", "--limit", "2"], "Did you mean list?"],
    [["--provider", "mock", "docter"], "Did you mean doctor?"],
    [["-y", "-p", "statsu"], "Did you mean status?"],
    [["frobnicate"], "signalbox --help lists them. To use it as a prompt: signalbox run frobnicate"],
    [["version"], "Did you mean signalbox --version?"],
    [["login"], "Did you mean mcp login NAME?"],
    [["resume"], "Did you mean run --continue?"],
    [["src/app.ts"], "To use it as a prompt: signalbox run src/app.ts"],
    [["prüfen"], "To use it as a prompt: signalbox run 'prüfen'"],
    [[" fix "], "To use it as a prompt: signalbox run ' fix '"],
    [["mcp", "lsit"], "Did you mean list?"],
  ])("%j", async (args, words) => {
    const { code, stdout, stderr } = await signalbox(...args);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(words);
  });

  test.each([
    [["run", "docter"]],
    [["fix it"]],
    // A whole sentence in a script without spaces.
    [["修复失败的测试"]],
  ])("%j is a prompt", async (args) => {
    const { stderr } = await signalbox(...args, "-p", "--provider", "mock", "--script", "/no/such/file");
    expect(stderr).toContain("can't read the script");
  });

  test("signalbox-roo takes one word as a prompt", async () => {
    const { stderr } = await called("signalbox-roo", "frobnicate", "--script", "/no/such/file");
    expect(stderr).toContain("Add --provider mock.");
  });
});

describe("an invalid command line is rejected with the valid options", () => {
  test.each([
    [["--prvider", "mock", "x y"], "Did you mean --provider?"],
    [["--frobnicate", "x y"], "Options: -w, --workspace; -p, --print;"],
    [
      ["--provider", "other", "x y"],
      "Allowed choices are anthropic, openai, google, openai-compatible, mock.",
    ],
    [["-p", "--output-format", "xml", "x y"], "Allowed choices are text, json, stream-json."],
    [["--queue-delivery", "two", "x y"], "Allowed choices are one, all."],
    [["--output-format", "stream-json", "x y"], "Add --print."],
    [["--stdin-prompt-stream"], "--stdin-prompt-stream requires --print"],
    [["-p", "--stdin-prompt-stream"], "Add --output-format stream-json."],
    [["-p", "--signal-only-exit", "x y"], "Add --stdin-prompt-stream."],
    [["-p", "--output-format", "stream-json", "--stdin-prompt-stream", "x y"], "Leave the prompt out"],
    [["--output-format", "json", "x y"], "Add --print."],
    [["--script", "x.yaml", "x y"], "Add --provider mock."],
    [["-y", "-a", "x y"], "cannot be used with option"],
    [["-y", "--permission-mode", "plan", "x y"], "cannot be used with option"],
    [["--permission-mode", "yolo", "x y"], "Allowed choices are plan, ask, auto-edit, auto, bypass."],
    [["config", "list"], "unknown command"],
    [["x y", "--prompt-file", "y"], "expected one of them"],
    [["--prompt-file", "/no/such/file"], "--prompt-file can't be read"],
    [["-p", "--provider", "mock"], "no prompt: expected one"],
    [["-p", "--provider", "mock", "  "], "the prompt is empty"],
    [["-p", "--provider", "mock", "-w", "/no/such/folder", "x y"], "does not exist: expected a folder"],
    [["--consecutive-mistake-limit", "-1", "x y"], "Expected a whole number"],
    [["--provider", "mock", "--script", "/no/such/file", "x y"], "can't read the script"],
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
  const { code, stderr } = await signalbox("--provider", "mock", "--script", script, "do it");
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

test.each([["--help"], ["run", "--help"], ["help"]])("help ends with code 0: %s", async (...args) => {
  const { code, stdout } = await signalbox(...args);
  expect(code).toBe(0);
  expect(stdout).toContain("Usage: signalbox");
});

describe("the list of commands in help", () => {
  const io = Object.assign(new EventEmitter(), {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: {},
  });

  test.each([...Object.entries(COMMANDS), ["run", ROO_RUN] as const])(
    "shows the options and arguments that %s has",
    async (name, { takes, load }) => {
      const command = new Command(name);
      (await load()).define(command, { io, args: [], print: () => {}, end: () => {} });
      expect(new Help().subcommandTerm(command)).toBe(
        [name, ...(takes === undefined ? [] : [takes])].join(" "),
      );
      expect(takes === undefined).toBe(command.commands.length > 0);
    },
  );

  test("has each command, with its other name", async () => {
    const { stdout } = await signalbox("--help");
    for (const [name, { takes = "", alias }] of Object.entries(COMMANDS))
      expect(stdout).toContain(
        `\n  ${[name, ...(alias === undefined ? [] : [alias])].join("|")} ${takes}`.trimEnd(),
      );
  });
});
