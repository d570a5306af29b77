import { EventEmitter } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, expect, test } from "vitest";
import { main, type ProgramName } from "../../cli/main.ts";

const folder = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The command in this process, with nothing on its input. */
async function called(
  name: ProgramName,
  ...args: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const io = Object.assign(new EventEmitter(), {
    stdin: new PassThrough().end(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: {},
  });
  const code = await main(args, io, name);
  const said = (stream: PassThrough): string => String(stream.read() ?? "");
  return { code, stdout: said(io.stdout), stderr: said(io.stderr) };
}

/** A workspace, and a script that writes a file in it. */
function place(): readonly string[] {
  const workspace = mkdtempSync(path.join(folder, "work-"));
  const script = path.join(workspace, "script.yaml");
  writeFileSync(
    script,
    `- { tool: write_to_file, input: { path: a.txt, content: "two\\n" } }
- { tool: attempt_completion, input: { result: All done. } }
`,
  );
  const data = path.join(workspace, "data");
  return ["-w", workspace, "--data-dir", data, "--provider", "mock", "--script", script];
}

test("signalbox-roo approves everything, and prints where there is no terminal, with a warning", async () => {
  const where = place();
  const { code, stdout, stderr } = await called("signalbox-roo", ...where, "-e", "/old/bundle", "Go");
  expect(stderr).toContain("[CLI] Warning: --extension is ignored");
  expect(stderr).toContain("[CLI] Warning: there is no terminal");
  expect(stdout).toContain("[task complete] All done.");
  expect(code).toBe(0);
  expect(readFileSync(path.join(where[1] ?? "", "a.txt"), "utf8")).toBe("two\n");
});

test("signalbox-roo -a asks, and an ended input approves nothing (L7)", async () => {
  const where = place();
  const { code, stdout } = await called("signalbox-roo", ...where, "-a", "-p", "Go");
  expect(stdout).toBe(
    "[Tool Request] newFileCreated a.txt\n[rejected: no answer]\n[task complete] All done.\n",
  );
  expect(code).toBe(0);
  expect(existsSync(path.join(where[1] ?? "", "a.txt"))).toBe(false);
});

test.each(["json", "stream-json"])(
  "signalbox-roo -a asks nobody where it prints %s: it ends with code 1 and the ask's name (L7)",
  async (format) => {
    const { code, stdout } = await called(
      "signalbox-roo",
      ...place(),
      "-ap",
      "--output-format",
      format,
      "Go",
    );
    expect(code).toBe(1);
    expect(JSON.parse(stdout.trim().split("\n").at(-1) ?? "")).toMatchObject({
      type: "error",
      content: expect.stringContaining("the task asks tool"),
    });
  },
);

test("signalbox does not know the old flags", async () => {
  const { code, stderr } = await called("signalbox", "-e", "/old/bundle", "Go");
  expect(code).toBe(1);
  expect(stderr).toContain("unknown option '-e'");
});

test.each([
  ["gemini", "no API key: set GEMINI_API_KEY"],
  ["openai-native", "no API key: set OPENAI_API_KEY"],
  ["openrouter", "--provider openrouter is not available: using anthropic."],
])("signalbox-roo knows the provider %s by this name", async (name, expected) => {
  const { stderr } = await called("signalbox-roo", "--provider", name, "--model", "any", "Go");
  expect(stderr).toContain(expected);
});

test("list modes, models and commands prints text or JSON", async () => {
  const workspace = mkdtempSync(path.join(folder, "work-"));
  mkdirSync(path.join(workspace, ".roo/commands"), { recursive: true });
  writeFileSync(
    path.join(workspace, ".roo/commands/review.md"),
    "---\ndescription: Look at it\nargument-hint: <file>\n---\nReview $1.\n",
  );
  const list = async (...args: string[]) =>
    (await called("signalbox-roo", "list", ...args, "-w", workspace)).stdout;
  const json = async (what: string): Promise<unknown> => JSON.parse(await list(what, "--format", "json"));
  expect(await list("modes")).toContain("code\tCode\tbuilt in\n");
  expect(await json("modes")).toMatchObject({
    modes: expect.arrayContaining([expect.objectContaining({ slug: "ask", name: "Ask" })]),
  });
  expect(await json("models")).toMatchObject({
    models: { "anthropic/claude-sonnet-4*": { inputPrice: 3 }, "openai/gpt-5": { inputPrice: 1.25 } },
  });
  expect(await json("commands")).toMatchObject({
    commands: expect.arrayContaining([
      {
        name: "review",
        source: "project",
        filePath: path.join(workspace, ".roo/commands/review.md"),
        description: "Look at it",
        argumentHint: "<file>",
      },
    ]),
  });
  expect(await list("commands")).toContain("/review\tproject\tLook at it\n");
});

test.each([["upgrade"], ["auth", "login"], ["auth", "status", "--json"]])(
  "signalbox-roo %s %s is not a prompt: what is not here is refused by name, with code 1",
  async (...words) => {
    const { code, stdout, stderr } = await called("signalbox-roo", ...words);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(new RegExp(`^\\[CLI\\] Error: the command "${words[0]}" is not available`));
  },
);
