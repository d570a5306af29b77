// cspell:words noproxy
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { homedir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CommandSandbox } from "../../../adapters/sandbox/command-sandbox.ts";
import { findBubblewrap } from "../../../adapters/sandbox/find-bubblewrap.ts";
import type { SandboxOptions } from "../../../adapters/sandbox/options.ts";
import { sandboxShell } from "../../../adapters/sandbox/sandbox.ts";
import { seatbelt } from "../../../adapters/sandbox/seatbelt-means.ts";
import type { SandboxSystem } from "../../../adapters/sandbox/system.ts";
import { systemShell } from "../../../adapters/shell/shell.ts";
import { hasSandbox } from "../../support/sandbox.ts";
import { confinedBy, UNCONFINED, writeSandboxExec } from "./sandbox-exec.ts";

let base: string;
let workspace: string;
beforeEach(() => {
  base = mkdtempSync(path.join(homedir(), ".signalbox-seatbelt-"));
  workspace = path.join(base, `a (deny) "workspace"`);
  mkdirSync(workspace);
  for (const name of ["tmp", "home"]) mkdirSync(path.join(base, name));
  vi.stubEnv("TMPDIR", path.join(base, "tmp"));
  vi.stubEnv("HOME", path.join(base, "home"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(base, { recursive: true });
});

describe.skipIf(!hasSandbox)("a command on macOS, with another program in place of sandbox-exec", () => {
  let system: SandboxSystem;
  beforeEach(async () => {
    const sandboxExec = writeSandboxExec(path.join(base, "bin"), confinedBy(await findBubblewrap()));
    system = { platform: "darwin", sandboxExec };
  });
  const run = (command: string, options: SandboxOptions = {}, folder = workspace) =>
    systemShell({ sandbox: new CommandSandbox(options, folder, undefined, system) }).run({
      ...{ command, cwd: folder, timeoutMs: 60_000, signal: new AbortController().signal },
      output: () => {},
    });

  test("writes the workspace and its temporary folder, and nothing beside them", async () => {
    const result = await run(
      'echo a > made; echo b > "$TMPDIR/made"; cat "$TMPDIR/made"; echo c > ../beside; exit 3',
    );
    expect(result).toMatchObject({ exitCode: 3, output: expect.stringMatching(/^b\n/) });
    expect(readFileSync(path.join(workspace, "made"), "utf8")).toBe("a\n");
    expect(existsSync(path.join(base, "beside"))).toBe(false);
    expect(readdirSync(path.join(base, "tmp"))).toEqual([]);
  });

  test("reads no denied file, and changes no hook and no folder with one", async () => {
    mkdirSync(path.join(workspace, ".git/hooks"), { recursive: true });
    writeFileSync(path.join(workspace, ".env"), "secret");
    const { output } = await run(
      "cat .env; echo x > .git/hooks/post-commit; mv .git other; mkdir .editor/x; echo ran",
      { denyRead: [".env"], denyWrite: [".editor"] },
    );
    expect(output).toContain("ran\n");
    expect(output).not.toContain("secret");
    expect(readdirSync(workspace).sort()).toEqual([".env", ".git"]);
    expect(readdirSync(path.join(workspace, ".git/hooks"))).toEqual([]);
  });

  test("reads no temporary file of others", async () => {
    const shared = mkdtempSync("/tmp/signalbox-seatbelt-");
    for (const folder of [shared, path.join(base, "tmp")]) writeFileSync(path.join(folder, "file"), "secret");
    const { output } = await run(`cat ${shared}/file '${base}/tmp/file'; echo ran`);
    rmSync(shared, { recursive: true });
    expect(output).toContain("ran\n");
    expect(output).not.toContain("secret");
  });

  test("is confined by real paths where its folder is named by a link", async () => {
    symlinkSync(workspace, path.join(base, "link"));
    await run("echo a > made", {}, path.join(base, "link"));
    expect(readFileSync(path.join(workspace, "made"), "utf8")).toBe("a\n");
  });

  test("ends with the processes of its group", async () => {
    const result = await run("sleep 1000 > /dev/null 2>&1 & echo $!");
    expect(result).toMatchObject({ exitCode: 0, output: expect.stringMatching(/^\d+\n$/) });
    expect(result.leavesProcess).toBeUndefined();
  });

  test("runs in a shell with an environment of its own", async () => {
    const folder = (name: string): string => path.join(base, "run", name);
    const folders = { workspace: folder("work"), home: folder("home"), programs: folder("programs") };
    for (const each of Object.values(folders)) mkdirSync(each, { recursive: true });
    const shell = await sandboxShell(folders, {}, system);
    const { output } = await shell.run({
      ...{ command: `echo a > made; echo b > ~/made; echo c > '${base}/beside'; ls '${base}'; echo "$HOME"` },
      ...{
        cwd: folders.workspace,
        timeoutMs: 60_000,
        signal: new AbortController().signal,
        output: () => {},
      },
    });
    expect(output).toMatch(new RegExp(`${folders.home}\n$`));
    expect(output).not.toContain("workspace\n");
    expect([existsSync(folder("work/made")), existsSync(folder("home/made"))]).toEqual([true, true]);
    expect(existsSync(path.join(base, "beside"))).toBe(false);
  });
});

describe("a program that enters Seatbelt", () => {
  const enter = (hosts: readonly string[], temporary?: string) =>
    seatbelt(writeSandboxExec(path.join(base, "bin"), UNCONFINED)).enter(
      { program: "/bin/true", args: ["a"], cwd: workspace, env: { KEPT: "kept" } },
      { rules: [{ path: "/", level: "read" }], hosts, temporary },
    );

  test("reaches the hosts of rules by a proxy with a password, whose port is all that it can connect to", async () => {
    const target = createServer((request, response) => response.end(`reached ${request.url}`));
    target.listen(0, "127.0.0.1");
    await once(target, "listening");
    const address = target.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const entered = await enter(["localhost"]);
    const proxy = new URL(entered.env.http_proxy ?? "");
    expect(entered.env).toMatchObject({ KEPT: "kept", HTTPS_PROXY: entered.env.http_proxy, NO_PROXY: "" });
    expect(entered.args[1]).toContain(`(allow network-outbound (remote ip "localhost:${proxy.port}"))`);
    const shell = systemShell({ env: { PATH: process.env.PATH } });
    const curl = async (by: string, options = ""): Promise<string> => {
      const command = `curl -sS ${options} --noproxy '' -x '${by}' http://localhost:${port}/page -w ' %{http_code} %{http_connect}'`;
      const signal = new AbortController().signal;
      return (await shell.run({ command, cwd: base, timeoutMs: 60_000, signal, output: () => {} })).output;
    };
    expect(await curl(proxy.href)).toBe("reached /page 200 000");
    expect(await curl(proxy.href, "-p")).toBe("reached /page 200 200");
    proxy.password = "other";
    expect(await curl(proxy.href)).toBe(" 407 000");
    expect(await curl(proxy.href, "-p")).toContain("000 407");
    expect(await entered.leave("")).toBeUndefined();
    target.close();
    expect(readdirSync(path.join(base, "tmp"))).toEqual([]);
  });

  test("has the real path of its temporary folder where a link leads to it", async () => {
    symlinkSync(path.join(base, "tmp"), path.join(base, "link"));
    vi.stubEnv("TMPDIR", path.join(base, "link"));
    const entered = await enter([], path.join(base, "link/own"));
    expect(entered.env.TMPDIR).toBe(path.join(base, "tmp/own"));
    expect(entered.args).toContain(`PATH_1=${base}/tmp/own`);
    expect(entered.args.join("\n")).not.toContain(`${base}/link`);
    await entered.leave("");
  });

  test("has no network and no proxy where no hosts are named", async () => {
    const entered = await enter([]);
    expect(entered.args[1]).not.toContain("network");
    expect(entered.env.http_proxy).toBeUndefined();
    await entered.leave("");
  });

  test("gets a note on what was blocked, from the error of macOS", async () => {
    const entered = await enter([]);
    const output = `sh: ${base}/beside: Operation not permitted\ncat: ${base}/tmp/other: Operation not permitted\n`;
    expect(await entered.leave(output)).toBe(
      `[The sandbox blocked writing ${base}/beside, reading ${base}/tmp/other. Only the user can allow it, in the settings: sandbox.write (the folder of a new file), sandbox.read.]`,
    );
  });
});
