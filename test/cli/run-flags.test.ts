import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { parseScript } from "../../testing/mock/script/script-parser.ts";
import { startMock } from "../../testing/mock/server/server.ts";
import { scriptByMode, subtask } from "../support/subtasks.ts";
import { installed } from "./installed.ts";
import { Process } from "./process.ts";

const box = installed();

const READ = `{ tool: read_file, input: { path: a.txt } }`;
const WRITE = `{ tool: write_to_file, input: { path: a.txt, content: "two\\n" } }`;
const DONE = `{ tool: attempt_completion, input: { result: All done. } }`;

/** A run to its end, with no input. */
async function runs(script: string, args: readonly string[]) {
  const run = await box.onScript(script, args);
  const code = await run.process.end();
  return { ...run, code, stdout: run.process.stdout, stderr: run.process.stderr };
}

describe.concurrent("limits of a run", () => {
  test("--max-requests ends a printed run before the next request, with code 1 and the ask", async () => {
    const { code, stderr, mock } = await runs(`[${READ}, ${READ}, ${DONE}]`, [
      ...["-p", "--max-requests", "2"],
      "Go",
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain("auto_approval_max_req_reached");
    expect(mock.requests).toHaveLength(2);
  });

  test("--max-cost ends a printed run once it is reached", async () => {
    const { code, stderr, mock } = await runs(`[${READ}, ${READ}, ${DONE}]`, [
      ...["-p", "--max-cost", "0.000001"],
      "Go",
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain("auto_approval_max_req_reached");
    expect(mock.requests).toHaveLength(1);
  });

  test("the requests of subtasks count", async () => {
    const script = scriptByMode({ mode: "code", turn: subtask("debug") }, { mode: "debug", turn: READ });
    const { code, stderr, mock } = await runs(script, ["-p", "-y", "--max-requests", "4", "Go"]);
    expect(code).toBe(1);
    expect(stderr).toContain("auto_approval_max_req_reached");
    expect(mock.requests.length).toBeLessThanOrEqual(4);
  });

  test("on a terminal a person continues", async () => {
    const { process, mock } = await box.onScript(`[${READ}, ${DONE}]`, ["--max-requests", "1", "Go"]);
    await process.said("Continue? y/n");
    process.line("y");
    await process.said("Type what is missing");
    process.line("y");
    expect(await process.code).toBe(0);
    expect(mock.requests).toHaveLength(2);
  });

  test.each([
    ["--max-requests", "0", "Expected a whole number from 1 to 999999."],
    ["--max-requests", "many", "Expected a whole number from 1 to 999999."],
    ["--max-cost", "0", "Expected US dollars above 0, such as 1.50."],
    ["--max-cost", "-1", "Expected US dollars above 0, such as 1.50."],
  ])("%s %s is rejected", async (flag, value, message) => {
    const { code, stderr } = await box.does("run", flag, value, "Go");
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });
});

describe.concurrent("rules of a run", () => {
  test("--allow allows, and the call names the rule", async () => {
    const { code, stdout, workspace } = await runs(`[${WRITE}, ${DONE}]`, [
      "--oneshot",
      "--allow",
      "edit(*.txt)",
      "Go",
    ]);
    expect(code).toBe(0);
    expect(stdout).toContain("edit(*.txt) in --allow");
    expect(readFileSync(path.join(workspace, "a.txt"), "utf8")).toBe("two\n");
  });

  test("--deny denies before any rule that allows, and each flag may be repeated", async () => {
    const rules = [
      "--allow",
      "edit(b.txt)",
      "--allow",
      "edit(**)",
      "--deny",
      "edit(b.txt)",
      "--deny",
      "edit(a.txt)",
    ];
    const { code, bodies, workspace } = await runs(`[${WRITE}, ${DONE}]`, ["-p", "-y", ...rules, "Go"]);
    expect(code).toBe(0);
    expect(bodies()).toContain("edit(a.txt) in --deny");
    expect(readFileSync(path.join(workspace, "a.txt"), "utf8")).toBe("one\n");
  });

  test("a rule that is not valid is rejected with its flag", async () => {
    const { code, stderr } = await box.does("run", "--deny", "run(x)", "--provider", "mock", "Go");
    expect(code).toBe(1);
    expect(stderr).toContain("--deny: expected one of read(GLOB)");
  });

  test("permissions explain judges with them, and names the flag", async () => {
    const { stdout } = await box.does("permissions", "explain", "npm test", "--allow", "command(npm *)");
    expect(stdout).toMatch(/^allow: /);
    expect(stdout).toContain("allow command(npm *)  (--allow)");
  });
});

describe.concurrent("the input of a printed run", () => {
  /** `cat FILE | signalbox run -p PROMPT` in a shell, or with `< FILE`. */
  async function inShell(line: (command: string, file: string) => string) {
    const workspace = box.newFolder();
    const mock = await startMock(parseScript(`[{ text: Read. }]`));
    writeFileSync(path.join(workspace, "log.txt"), "Error: broken\n");
    const command = `'${process.execPath}' '${box.bin}' run -p --base-url ${mock.url} --data-dir data 'What is wrong?'`;
    const child = spawn("/bin/sh", ["-c", line(command, "log.txt")], {
      cwd: workspace,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        XDG_CONFIG_HOME: workspace,
        ANTHROPIC_API_KEY: "sk-test-0123456789",
      },
      stdio: ["ignore", "ignore", "pipe"],
    });
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
    await mock.close();
    return { stderr, code, bodies: JSON.stringify(mock.requests.map(({ body }) => body)) };
  }

  test("is added to the prompt if it comes from a pipe", async () => {
    const { code, bodies } = await inShell((command, file) => `cat ${file} | ${command}`);
    expect(code).toBe(0);
    expect(bodies).toContain("What is wrong?\\n\\nError: broken\\n</user_message>");
  });

  test("is added to the prompt: a file, and a pipe that begins late", async () => {
    expect((await inShell((command, file) => `${command} < ${file}`)).bodies).toContain("Error: broken");
    expect((await inShell((command) => `(sleep 4; echo late) | ${command}`)).bodies).toContain("late");
  });

  test("is added to the prompt if it comes from a program's socket, which is not waited for long", async () => {
    const { process, bodies } = await box.onScript(`[{ text: Read. }]`, ["-p", "What is wrong?"]);
    process.line("Error: broken");
    expect(await process.end()).toBe(0);
    expect(bodies()).toContain("Error: broken");

    const silent = await box.onScript(`[{ text: Read. }]`, ["-p", "What is wrong?"]);
    expect(await silent.process.code).toBe(0);
    expect(silent.process.stderr).toContain("stdin had no text after 3 s");
  });

  test("is not added if it is empty", async () => {
    const { code, stderr, bodies } = await inShell((command) => `${command} < /dev/null`);
    expect(code).toBe(0);
    expect(stderr).toBe("");
    expect(bodies).toContain("What is wrong?\\n</user_message>");
  });
});

test("a printed run with -d prints the path of the debug log", async () => {
  const run = await box.onScript(`[{ text: Read. }]`, ["-p", "-d", "Go"]);
  expect(await run.process.end()).toBe(0);
  const [, file = ""] = /^Debug log: (.*)$/m.exec(run.process.stderr) ?? [];
  expect(readFileSync(file, "utf8")).toContain("model claude");
});

test("a printed run that fails exits with code 1", async () => {
  const process = new Process(
    box.bin,
    ["run", "-p", "--exit-on-error", "--base-url", "http://127.0.0.1:9", "Go"],
    {
      cwd: box.newFolder(),
      env: { ANTHROPIC_API_KEY: "sk-test-0123456789" },
    },
  );
  expect(await process.end()).toBe(1);
});
