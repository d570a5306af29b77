// cspell:words SHLVL
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { openShell, sandboxShell } from "../../../adapters/sandbox/sandbox.ts";
import type { SystemShell } from "../../../adapters/shell/shell.ts";
import { hasSandbox } from "../../support/sandbox.ts";

const root = mkdtempSync(path.join(tmpdir(), "signalbox-sandbox-"));
afterAll(() => rmSync(root, { recursive: true }));

function foldersIn(name: string) {
  const folder = (part: string): string => path.join(root, name, part);
  const folders = {
    workspace: folder("it's a workspace"),
    home: folder("home"),
    programs: folder("programs"),
  };
  for (const each of Object.values(folders)) mkdirSync(each, { recursive: true });
  return folders;
}

const run = (shell: SystemShell, cwd: string, command: string, timeoutMs = 60_000) =>
  shell.run({ command, cwd, timeoutMs, signal: new AbortController().signal, output: () => {} });

/** A command that prints what a server on a port answers, or that it is not reached. */
const request = (port: number): string =>
  `node -e 'fetch("http://127.0.0.1:${port}").then((r) => r.text()).then(console.log, () => console.log("not reached"))'`;

describe.skipIf(!hasSandbox)("a shell in a sandbox", () => {
  let count = 0;
  let folders: ReturnType<typeof foldersIn>;
  let shell: SystemShell;
  beforeEach(async () => {
    count += 1;
    folders = foldersIn(`run-${count}`);
    shell = await sandboxShell(folders);
  });
  afterEach(() => shell.close());
  const inside = (command: string, timeoutMs?: number) => run(shell, folders.workspace, command, timeoutMs);

  test("runs a command in the workspace, with its exit code and both outputs in order", async () => {
    const result = await inside(`pwd; echo "it's" >&2; exit 3`);
    expect(result).toMatchObject({ output: `${folders.workspace}\nit's\n`, exitCode: 3, timedOut: false });
  });

  test("lets commands write the workspace, their home and their temporary files", async () => {
    const result = await inside(
      'echo a > kept && echo b > ~/kept && echo c > "$TMPDIR/kept" && echo "$HOME"',
    );
    expect(result).toMatchObject({ output: `${folders.home}\n`, exitCode: 0 });
    expect(readFileSync(path.join(folders.workspace, "kept"), "utf8")).toBe("a\n");
    expect(readFileSync(path.join(folders.home, "tmp/kept"), "utf8")).toBe("c\n");
  });

  test.each(["/usr", "/etc", "/"])("refuses a write in %s", async (folder) => {
    const result = await inside(`touch ${folder}/signalbox-escaped`);
    expect(result.exitCode).not.toBe(0);
    expect(result.output).toContain("Read-only file system");
  });

  test("refuses to change the program that starts commands, and folders beside the workspace", async () => {
    const beside = path.join(root, "beside");
    mkdirSync(beside, { recursive: true });
    writeFileSync(path.join(beside, "file"), "kept");
    const program = readFileSync(shell.program, "utf8");
    await inside(`echo changed > '${shell.program}'; mkdir -p '${beside}'; echo changed > '${beside}/file'`);
    expect(readFileSync(shell.program, "utf8")).toBe(program);
    expect(readFileSync(path.join(beside, "file"), "utf8")).toBe("kept");
  });

  test("refuses to mount the system again for writing", async () => {
    const result = await inside("mount -o remount,rw,bind / / && touch /signalbox-escaped");
    expect(result.exitCode).not.toBe(0);
  });

  test("hides the home of the user except its programs, other temporary files and the sockets of services", async () => {
    const inHome = (process.env.PATH ?? "")
      .split(":")
      .map((folder) => path.relative(homedir(), folder).split("/")[0]);
    writeFileSync(path.join(root, "secret"), "secret");
    const result = await inside(`ls -A '${homedir()}'; ls -A /run; cat '${root}/secret'`);
    const lines = result.output.split("\n").filter((line) => line !== "" && !inHome.includes(line));
    expect(lines).toEqual([`cat: ${root}/secret: No such file or directory`]);
  });

  test("gives commands nothing of the environment but the paths of programs", async () => {
    process.env.SIGNALBOX_TEST_VALUE = "seen";
    try {
      const { output } = await inside("env | cut -d= -f1 | sort");
      expect(
        output.split("\n").filter((name) => !["PWD", "_", "SHLVL", "OLDPWD", ""].includes(name)),
      ).toEqual(["HOME", "LANG", "PATH", "TMPDIR"]);
    } finally {
      delete process.env.SIGNALBOX_TEST_VALUE;
    }
  });

  describe("next to a server on this machine", () => {
    let server: Server;
    let port: number;
    beforeEach(async () => {
      server = createServer((_, response) => response.end("reached"));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      port = (server.address() as AddressInfo).port;
    });
    afterEach(() => new Promise((resolve) => server.close(resolve)));

    test("does not reach it, as without a sandbox", async () => {
      expect(await inside(request(port))).toMatchObject({ output: "not reached\n", exitCode: 0 });
      const open = await openShell(foldersIn(`open-${count}`));
      expect(await run(open, folders.workspace, request(port))).toMatchObject({ output: "reached\n" });
    });
  });

  test("reaches a server that the same command started on its loopback", async () => {
    const { output } = await inside(
      `node -e 'const s = require("http").createServer((q, r) => r.end("own server")).listen(0, "127.0.0.1", async () => { console.log(await (await fetch("http://127.0.0.1:" + s.address().port)).text()); process.exit(); })'`,
    );
    expect(output).toBe("own server\n");
  });

  test("shows a command only the processes of the same command", async () => {
    const { output } = await inside("ls /proc | grep -c '^[0-9]'");
    expect(Number(output)).toBeLessThan(10);
  });

  test("ends the processes that a command leaves in the background", async () => {
    const result = await inside("(while :; do :; done) > /dev/null 2>&1 & echo started");
    expect(result).toMatchObject({ output: "started\n", exitCode: 0 });
    expect(result.leavesProcess).toBeUndefined();
  });

  test("terminates a command at its timeout with all its processes", async () => {
    const result = await inside("setsid sh -c 'while :; do :; done' & while :; do :; done", 200);
    expect(result.timedOut).toBe(true);
    expect(result.leavesProcess).toBeUndefined();
  });
});

test("refuses where no sandbox can be created", async () => {
  const before = process.env.PATH;
  process.env.PATH = path.join(root, "no-programs");
  try {
    await expect(sandboxShell(foldersIn("without"))).rejects.toMatchObject({
      code: "SANDBOX_MISSING",
      message: expect.stringMatching(/^Expected a current Bubblewrap .* Install the package bubblewrap/s),
    });
  } finally {
    process.env.PATH = before;
  }
});
