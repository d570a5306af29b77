import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CommandHookOptions, commandHook } from "../../../adapters/hooks/command-hook.ts";
import { callHook, type HookInput, type HookInputAt } from "../../../tools/hook.ts";
import { writersGone } from "../../support/host.ts";
import { hasSandbox } from "../../support/sandbox.ts";

let workspace: string;
beforeEach(async () => {
  workspace = await realpath(await mkdtemp(path.join(tmpdir(), "hook-")));
});
afterEach(() => rm(workspace, { recursive: true, force: true }));

const inputOf = (args: Readonly<Record<string, unknown>> = {}): HookInputAt<"beforeTool"> => ({
  taskId: "t1",
  workspace,
  point: "beforeTool",
  mode: "code",
  callId: "c1",
  tool: "edit",
  effect: "writes",
  arguments: args,
  digest: "d",
});

interface HookCall {
  readonly signal?: AbortSignal;
  readonly input?: HookInput;
}

async function run(
  command: string,
  more: Partial<CommandHookOptions> = {},
  { signal = new AbortController().signal, input = inputOf() }: HookCall = {},
): Promise<unknown> {
  const hook = commandHook({
    name: "h",
    points: ["beforeTool"],
    command,
    killGraceMs: 50,
    ...more,
  });
  return callHook(hook, input, { signal });
}

const errorOf = (given: Promise<unknown>): Promise<string> =>
  given.then(
    () => "no error",
    (error: Error & { code?: string }) => `${error.code} ${error.message}`,
  );

describe("A hook that is a command", () => {
  test("reads its input as JSON on stdin, in the workspace, and writes its decision as JSON", async () => {
    const decision = await run('cat > input.json; pwd > where; printf \'{"decision":"deny","reason":"no"}\'');
    expect(decision).toEqual({ decision: "deny", reason: "no" });
    const written = await readFile(path.join(workspace, "input.json"), "utf8");
    expect(JSON.parse(written)).toEqual(inputOf());
    expect(written.endsWith("}\n")).toBe(true);
    expect(await readFile(path.join(workspace, "where"), "utf8")).toBe(`${workspace}\n`);
  });

  test("replaces a result with the text that it makes of it", async () => {
    const { digest: _, ...call } = inputOf();
    const result = { kind: "done", text: "key=secret and more" } as const;
    const decision = await run(
      `sed 's/.*"text":"\\([^"]*\\)".*/{"decision":"replace","result":"\\1"}/; s/secret/REDACTED/'`,
      { points: ["afterTool"] },
      { input: { ...call, point: "afterTool", result } },
    );
    expect(decision).toEqual({ decision: "replace", result: "key=REDACTED and more" });
  });

  test("gets no output of `~/.bashrc` from a shell that it starts", async () => {
    await writeFile(path.join(workspace, ".bashrc"), "echo Welcome!\n");
    const env = { PATH: process.env.PATH, HOME: workspace };
    expect(await run("bash -c cat > input.json", { env })).toBeUndefined();
    expect(JSON.parse(await readFile(path.join(workspace, "input.json"), "utf8"))).toEqual(inputOf());
  });

  test("allows where it writes nothing", async () => {
    expect(await run("echo ' '; echo noise >&2")).toBeUndefined();
  });

  test("starts in its own folder, and gets no secrets of its environment", async () => {
    const env = { PATH: process.env.PATH, API_KEY: "1", GITHUB_TOKEN: "2", MINE: "3", SHOWN: "4" };
    const command = `printf '{"context":"%s %s"}' "$PWD" "\${API_KEY}|\${GITHUB_TOKEN}|\${MINE}|\${SHOWN}"`;
    const more = { cwd: "/", env, keepEnv: ["GITHUB_TOKEN"], withheldEnv: ["MINE"] };
    expect(await run(command, more)).toEqual({ context: "/ |2||4" });
  });

  test("need not read its input, however long that is", async () => {
    const input = inputOf({ text: "x".repeat(4_000_000) });
    expect(await run("true", {}, { input })).toBeUndefined();
    expect(await run("exec 0<&-; sleep 0.05; echo '{}'", {}, { input })).toEqual({});
  });
});

describe("A hook that is a command and does not decide is an error with the end of stderr", () => {
  test.each([
    [
      "colours",
      String.raw`printf '\033[31m%s\033[0m' oops >&2; exit 3`,
      "expected the exit code 0, received 3. Its last errors: oops",
    ],
    ["an exit code", "echo oops >&2; exit 3", "expected the exit code 0, received 3. Its last errors: oops"],
    ["a signal", "kill -9 $$", "expected the exit code 0, received SIGKILL."],
    ["a missing program", "no-such-program", "expected the exit code 0, received 127."],
    ["text", "echo yes", "expected a decision as JSON, received other output."],
    ["two decisions", "echo '{}{}'", "expected a decision as JSON, received other output."],
    ["another type", "echo '[1]'", "expected a decision, received an object: "],
    ["a wrong decision", `echo '{"decision":true}'`, "expected a decision, received an object: decision "],
    ["an unknown field", `echo '{"deny":true}'`, 'Unrecognized key: "deny"'],
  ])("%s", async (_, command, message) => {
    const error = await errorOf(run(command));
    expect(error).toContain(`HOOK_INVALID the command \`${command}\`: `);
    expect(error).toContain(message);
  });

  test("a flood of output ends it at once", async () => {
    const error = await errorOf(run("yes", { timeoutMs: 60_000 }));
    expect(error).toBe(
      "HOOK_INVALID the command `yes`: expected at most 1000000 bytes of output, received more.",
    );
    expect(await errorOf(run("printf 123456", { outputMaxBytes: 5 }))).toContain("at most 5 bytes");
    expect(await run("printf '{}   '", { outputMaxBytes: 5 })).toEqual({});
  });

  test("of a flood of errors only the end is kept", async () => {
    const error = await errorOf(
      run("yes 0123456789 2>/dev/null | head -c 3000000 >&2; echo END >&2; exit 1"),
    );
    expect(error).toMatch(/0123456789\n012END$/);
    expect(error.length).toBeLessThan(700);
  });

  test("a command that hangs is terminated at its time limit, although it ignores SIGTERM", async () => {
    const gone = writersGone(workspace);
    const command = "exec 9>alive; trap '' TERM; echo late >&2; while :; do sleep 1; done";
    const error = await errorOf(run(command, { timeoutMs: 300 }));
    expect(error).toContain("expected its end within 300 ms; it was terminated. Its last errors: late");
    await gone;
  });

  test("L10: an abort terminates it with its children", async () => {
    const gone = writersGone(workspace);
    const abort = new AbortController();
    const started = writersGone(workspace, "started");
    const stopped = errorOf(
      run("exec 9>alive; sleep 100 & echo > started; wait", {}, { signal: abort.signal }),
    );
    await started;
    abort.abort();
    expect(await stopped).toMatch(/received SIG(TERM|KILL)/);
    await gone;
  });

  test("a child that it leaves is killed, also in another session and with other streams", async () => {
    const gone = writersGone(workspace);
    const command = `exec 9>alive; setsid sleep 100 >/dev/null 2>&1 </dev/null & echo '{"context":"ok"}'`;
    expect(await run(command)).toEqual({ context: "ok" });
    await gone;
  });

  test("a child that keeps its output open does not hold it up", async () => {
    const gone = writersGone(workspace);
    expect(await run(`exec 9>alive; sleep 100 & echo '{"context":"ok"}'`)).toEqual({ context: "ok" });
    await gone;
  });

  test("what it writes to the workspace stays", async () => {
    expect(await errorOf(run("echo mine > file; exit 1"))).toContain("received 1");
    expect(await readFile(path.join(workspace, "file"), "utf8")).toBe("mine\n");
  });
});

describe.skipIf(!hasSandbox)("A hook that is a command, in a sandbox", () => {
  let outside: string;
  beforeEach(async () => {
    outside = await mkdtemp(path.join(homedir(), ".signalbox-hook-"));
  });
  afterEach(() => rm(outside, { recursive: true, force: true }));

  test("reads its input and decides, and writes the workspace but nothing outside of it", async () => {
    const command = `cat > input.json; echo x 2> /dev/null > '${outside}/made'; echo '{"context":"ok"}'`;
    expect(await run(command, { sandbox: {} })).toEqual({ context: "ok" });
    expect(JSON.parse(await readFile(path.join(workspace, "input.json"), "utf8"))).toEqual(inputOf());
    expect(await readdir(outside)).toEqual([]);
  });

  test("is denied with a note on what it was kept from", async () => {
    expect(await errorOf(run(`echo x > '${outside}/made'`, { sandbox: {} }))).toContain(
      `[The sandbox blocked writing ${outside}/made. Only the user can allow it, in the settings: sandbox.write (the folder of a new file).]`,
    );
  });
});
