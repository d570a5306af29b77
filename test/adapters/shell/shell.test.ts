import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ShellOptions, systemShell } from "../../../adapters/shell/shell.ts";
import type { Clock } from "../../../ports/clock.ts";

let cwd: string;
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(path.join(tmpdir(), "shell-")));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

function run(
  command: string,
  options: ShellOptions = {},
  more: { signal?: AbortSignal; timeoutMs?: number; output?: (text: string) => void } = {},
) {
  return systemShell(options).run({
    command,
    cwd,
    timeoutMs: more.timeoutMs ?? 60_000,
    signal: more.signal ?? new AbortController().signal,
    output: more.output ?? (() => {}),
  });
}

/** A clock whose time between SIGTERM and SIGKILL passes at once. */
function fastClock(): Clock & { readonly delays: number[] } {
  const delays: number[] = [];
  return {
    delays,
    now: () => Date.now(),
    after(delayMs, fire) {
      delays.push(delayMs);
      const timer = setTimeout(fire, delayMs === 2_000 ? 1 : delayMs);
      return () => clearTimeout(timer);
    },
  };
}

test("a command returns its output, with both streams in the order of writing, and its exit code", async () => {
  const seen: string[] = [];
  const end = await run(
    "echo a; echo b >&2; echo c; echo d >&2; exit 3",
    {},
    { output: (text) => seen.push(text) },
  );
  expect(end).toEqual({ output: "a\nb\nc\nd\n", exitCode: 3, timedOut: false });
  expect(seen.join("")).toBe("a\nb\nc\nd\n");
});

test("a command returns its output as a terminal shows it (field report 10)", async () => {
  const seen: string[] = [];
  const command = String.raw`printf '\033[31mred\033[0m\n10 %%\r\033[K100 %%\n\033]0;title\007end'`;
  const { output } = await run(command, {}, { output: (text) => seen.push(text) });
  expect(output).toBe("red\n100 %\nend");
  expect(seen.join("")).toBe("red\n100 %\nend");
});

test("a command line that begins with a dash or contains quotes runs unchanged", async () => {
  expect((await run("-c 'echo wrong'")).exitCode).toBe(127);
  expect((await run(`printf '%s|' "a b" 'c"d' e\\ f`)).output).toBe('a b|c"d|e f|');
});

describe("another program may interpret command lines", () => {
  test("a POSIX shell, also where a command line begins with a dash", async () => {
    expect((await run("[[ -n $BASH_VERSION ]] && echo bash", { program: "/bin/bash" })).output).toBe(
      "bash\n",
    );
    expect((await run("-c 'echo wrong'", { program: "/bin/bash" })).exitCode).toBe(127);
  });

  test("or any that takes a command line after -c", async () => {
    const program = path.join(cwd, "own shell");
    await writeFile(program, '#!/bin/sh\nprintf "%s|" "$@"; echo error >&2\n', { mode: 0o755 });
    expect((await run('a "b" $c', { program })).output).toBe('-c|a "b" $c|error\n');
    expect(systemShell({ program }).program).toBe(program);
  });

  test.each(["/no/such/shell", "bash", "/etc/passwd", "/bin"])(
    "not %s, which the error names",
    async (program) => {
      await expect(run("ls", { program })).rejects.toMatchObject({
        code: "NOT_FOUND",
        message: expect.stringContaining(`The shell '${program}' can't be run: expected the absolute path`),
      });
    },
  );
});

test("a command gets no input and no secrets", async () => {
  const env = {
    PATH: process.env.PATH,
    ANTHROPIC_API_KEY: "a-secret-1",
    GITHUB_TOKEN: "a-secret-2",
    DB_PASSWORD: "a-secret-3",
    NPM_TOKEN: "a-kept-token",
    PLAIN: "p",
  };
  const end = await run("cat; env", { env, keepEnv: ["NPM_TOKEN"] });
  expect(end.output).toContain("PLAIN=p");
  expect(end.output).toContain("NPM_TOKEN=a-kept-token");
  expect(end.output).not.toContain("a-secret");
});

test("a working directory that does not exist is an error with its path", async () => {
  const end = systemShell().run({
    command: "true",
    cwd: "/not/there",
    timeoutMs: 1,
    signal: new AbortController().signal,
    output: () => {},
  });
  await expect(end).rejects.toMatchObject({
    code: "NOT_FOUND",
    message: expect.stringContaining("Working directory '/not/there' does not exist."),
  });
});

test("a character split between two chunks is decoded", async () => {
  const seen: string[] = [];
  const end = await run(
    String.raw`printf '\303'; sleep 0.05; printf '\244'`,
    {},
    { output: (text) => seen.push(text) },
  );
  expect(end.output).toBe("ä");
  expect(seen.join("")).toBe("ä");
});

test("L14: long output is cut in the middle with a mark, and written in full to a file", async () => {
  const artifacts = path.join(cwd, "artifacts");
  const end = await run("seq 1 20000", { maxOutputBytes: 1000, artifacts });
  expect(end.output.length).toBeLessThan(1100);
  expect(end.output).toMatch(/^1\n2\n3\n[\s\S]*\n\[\.\.\. \d+ bytes cut \.\.\.\]\n[\s\S]*19999\n20000\n$/);
  const whole = await readFile(end.fullOutputPath ?? "", "utf8");
  expect(whole.split("\n")).toHaveLength(20001);
  const cut = Number(/\[\.\.\. (\d+) bytes/.exec(end.output)?.[1]);
  expect(whole.length - cut).toBe(1000);
});

test("L14: the output file is limited too, with a note", async () => {
  const end = await run("seq 1 20000", { maxOutputBytes: 1000, maxWholeBytes: 5000, artifacts: cwd });
  expect((await readFile(end.fullOutputPath ?? "", "utf8")).length).toBe(5000);
  expect(end.output).toContain("[The output file ends at 5000 bytes]");
});

test("output of exactly the limit is neither cut nor written to a file", async () => {
  const end = await run("printf 0123456789", { maxOutputBytes: 10, artifacts: cwd });
  expect(end).toEqual({ output: "0123456789", exitCode: 0, timedOut: false });
});

test("L10: an abort ends the whole process tree, also processes that ignore SIGTERM or left the group", async () => {
  const abort = new AbortController();
  const clock = fastClock();
  const allExited = writersExited();
  const script = `exec 9>alive; trap '' TERM
    (echo up; sleep 1000) &
    setsid sh -c 'trap - TERM; sleep 1000 & echo up; wait' &
    (setsid sh -c 'echo up; sleep 1000' &)
    wait; sleep 1000`;
  let text = "";
  const end = await run(
    script,
    // Under load, the exit of a killed process is reported late.
    { clock, drainMs: 10_000 },
    {
      signal: abort.signal,
      output: (piece) => {
        text += piece;
        if (text === "up\nup\nup\n") abort.abort();
      },
    },
  );
  expect(end).toEqual({ output: "up\nup\nup\n", signal: "SIGKILL", timedOut: false });
  expect(clock.delays).toContain(2_000);
  await allExited;
});

test("a command that exits on SIGTERM ends without waiting for SIGKILL", async () => {
  const abort = new AbortController();
  const clock: Clock = { now: () => 0, after: () => () => {} };
  const end = await run(
    "echo up; exec sleep 1000",
    { clock },
    { signal: abort.signal, output: () => abort.abort() },
  );
  expect(end).toEqual({ output: "up\n", signal: "SIGTERM", timedOut: false });
});

test("a command that is aborted before its start does not start", async () => {
  const end = await run("touch made", {}, { signal: AbortSignal.abort() });
  expect(end).toEqual({ output: "", signal: "SIGTERM", timedOut: false });
  expect(existsSync(path.join(cwd, "made"))).toBe(false);
});

test("a command that times out is terminated, and its result has timedOut", async () => {
  const end = await run("echo begun; sleep 1000", {}, { timeoutMs: 300 });
  expect(end).toMatchObject({ output: "begun\n", timedOut: true, signal: "SIGTERM" });
});

test("a command ends when its shell exits, although a background process holds its output", async () => {
  const shell = systemShell({ clock: fastClock() });
  const allExited = writersExited();
  const { signal } = new AbortController();
  const command = "exec 9>alive; sleep 1000 & echo $!";
  const end = await shell.run({ command, cwd, timeoutMs: 60_000, signal, output: () => {} });
  expect(end.exitCode).toBe(0);
  expect(end.output).toMatch(/^\d+\n\n\[A process of this command is still running in the background/);
  expect(process.kill(Number.parseInt(end.output, 10), 0)).toBe(true);
  shell.close();
  await allExited;
});

test.each([
  ["that redirects its output", "sleep 1000 >/dev/null 2>&1 & echo $!"],
  ["in a session of its own", "setsid sleep 1000 >/dev/null 2>&1 & echo $!"],
  [
    "whose parents have exited",
    "(setsid sh -c 'sleep 1000 & echo $! >&3' >/dev/null 2>&1 &) 3>&1; sleep 0.1",
  ],
])("a process %s is left behind, named in the result, and ended by close", async (_, background) => {
  const shell = systemShell({ clock: fastClock() });
  const allExited = writersExited();
  const { signal } = new AbortController();
  const command = `exec 9>alive; ${background}`;
  const end = await shell.run({ command, cwd, timeoutMs: 60_000, signal, output: () => {} });
  expect(end).toMatchObject({ exitCode: 0, leavesProcess: true });
  expect(end.output).toContain("A process of this command is still running in the background");
  expect(end.left?.isAlive()).toBe(true);
  shell.close();
  await allExited;
  // A process that ends closes its files first.
  await expect.poll(() => end.left?.isAlive()).toBe(false);
});

test("a process that is left behind can be terminated alone", async () => {
  const shell = systemShell({ clock: fastClock() });
  const allExited = writersExited();
  const { signal } = new AbortController();
  const command = "exec 9>alive; sleep 1000 >/dev/null 2>&1 &";
  const end = await shell.run({ command, cwd, timeoutMs: 60_000, signal, output: () => {} });
  end.left?.stop();
  await allExited;
  expect(end.output).toContain("It ends with the task.");
});

test("a command that leaves no process ends as soon as its output does", async () => {
  const end = await run("true & wait; echo done");
  expect(end).toEqual({ output: "done\n", exitCode: 0, timedOut: false });
});

/** Resolves when no process holds the pipe `alive` any more; the command opens it first. */
function writersExited(): Promise<Buffer> {
  const pipe = path.join(cwd, "alive");
  execFileSync("sh", ["-c", 'mkfifo "$0"', pipe]);
  return readFile(pipe);
}

test("a command runs in the shell of the options", async () => {
  const bash = execFileSync("/bin/sh", ["-c", "command -v bash"], { encoding: "utf8" }).trim();
  expect((await run("-c 'echo wrong'", { program: bash })).exitCode).toBe(127);
  expect((await run('[[ a == a ]] && echo "$BASH"', { program: bash })).output).toBe(`${bash}\n`);
});

test("a command gets no variable that is withheld, whatever its name", async () => {
  const env = { PATH: process.env.PATH, MY_LLM: "sk-1", GITHUB_TOKEN: "t", OTHER: "o" };
  const options = { env, withheldEnv: ["MY_LLM", "GITHUB_TOKEN"], keepEnv: ["GITHUB_TOKEN"] };
  expect((await run("echo [$MY_LLM] [$GITHUB_TOKEN] [$OTHER]", options)).output).toBe("[] [] [o]\n");
});
