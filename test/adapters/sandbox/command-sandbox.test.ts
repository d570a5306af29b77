// cspell:words noproxy
import { spawn } from "node:child_process";
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
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CommandSandbox } from "../../../adapters/sandbox/command-sandbox.ts";
import { findBubblewrap } from "../../../adapters/sandbox/find-bubblewrap.ts";
import { HeldFiles } from "../../../adapters/sandbox/held-files.ts";
import type { SandboxOptions } from "../../../adapters/sandbox/options.ts";
import { type SystemShell, systemShell } from "../../../adapters/shell/shell.ts";
import { hasSandbox } from "../../support/sandbox.ts";

describe.skipIf(!hasSandbox)("a sandbox of commands", () => {
  let base: string;
  let workspace: string;
  let shells: SystemShell[];
  beforeEach(() => {
    // Temporary folders are hidden.
    base = mkdtempSync(path.join(homedir(), ".signalbox-sandbox-"));
    workspace = path.join(base, "it's a workspace");
    mkdirSync(workspace);
    vi.stubEnv("HOME", path.join(base, "home"));
    vi.stubEnv("TMPDIR", path.join(base, "tmp"));
    for (const name of ["home", "tmp", "commands"]) mkdirSync(path.join(base, name));
    shells = [];
  });
  afterEach(() => {
    for (const shell of shells) shell.close();
    vi.unstubAllEnvs();
    rmSync(base, { recursive: true });
  });

  const open = (options: SandboxOptions = {}): SystemShell => {
    const sandbox = new CommandSandbox(options, workspace, path.join(base, "commands"));
    const shell = systemShell({ sandbox });
    shells.push(shell);
    return shell;
  };
  const run = (command: string, options?: SandboxOptions, signal = new AbortController().signal) =>
    open(options).run({ command, cwd: workspace, timeoutMs: 60_000, signal, output: () => {} });

  test("denies the files that a pattern matches when a command starts, and not those created later", async () => {
    mkdirSync(path.join(workspace, "a"));
    writeFileSync(path.join(workspace, "a/.env"), "secret");
    const options = { denyRead: ["**/.env"] };
    const { output } = await run("cat a/.env; mv a b; echo new > .env; cat .env", options);
    expect(output).not.toContain("secret");
    expect(output).toContain("new\n");
    expect((await run("cat .env a/.env", options)).output).not.toMatch(/^(new|secret)/m);
    expect(readFileSync(path.join(workspace, "a/.env"), "utf8")).toBe("secret");
  });

  test("runs a command in its folder, with its environment, exit code and both outputs in order", async () => {
    vi.stubEnv("KEPT_VALUE", "kept");
    const result = await run('pwd; echo "$KEPT_VALUE $TMPDIR" >&2; exit 3');
    expect(result).toEqual({ output: `${workspace}\nkept /tmp\n`, exitCode: 3, timedOut: false });
  });

  test("lets commands write the workspace, and temporary files that the next command finds", async () => {
    await run('echo a > kept; echo b > "$TMPDIR/kept"');
    expect(readFileSync(path.join(workspace, "kept"), "utf8")).toBe("a\n");
    expect(await run("cat /tmp/kept /var/tmp/kept")).toMatchObject({ output: "b\nb\n" });
  });

  test("ends with the exit code of a command that a signal ended", async () => {
    expect(await run("kill -9 $$")).toMatchObject({ exitCode: 137 });
  });

  test("removes what it made for a command, and leaves no placeholder in the workspace", async () => {
    const { output } = await run("ls -A", { denyWrite: [".editor/tasks.json", "other"] });
    expect(output).toBe(".editor\nother\n");
    expect(readdirSync(workspace)).toEqual([]);
    expect(readdirSync(path.join(base, "tmp"))).toEqual([]);
  });

  test("keeps a placeholder as long as a command needs it", async () => {
    const options = { denyWrite: [".editor"] };
    const stop = new AbortController();
    const first = open(options).run({
      ...{ command: "echo ready; exec sleep 1000", cwd: workspace, timeoutMs: 60_000, signal: stop.signal },
      output: () => ready(),
    });
    let ready = (): void => {};
    await new Promise<void>((resolve) => {
      ready = resolve;
    });
    await run("true", options);
    expect(readdirSync(workspace)).toEqual([".editor"]);
    stop.abort();
    await first;
    expect(readdirSync(workspace)).toEqual([]);
  });

  test("keeps what another program has put into a placeholder", async () => {
    const stop = new AbortController();
    let ready = (): void => {};
    const started = new Promise<void>((resolve) => {
      ready = resolve;
    });
    const running = open({ denyWrite: [".editor"] }).run({
      ...{ command: "echo ready; exec sleep 1000", cwd: workspace, timeoutMs: 60_000, signal: stop.signal },
      output: () => ready(),
    });
    await started;
    writeFileSync(path.join(workspace, ".editor/mine"), "mine");
    stop.abort();
    await running;
    expect(readFileSync(path.join(workspace, ".editor/mine"), "utf8")).toBe("mine");
  });

  test("lets a longer path decide: a folder that can be written in a denied one, and a denied one in it", async () => {
    for (const name of ["a/b/c", "a/d"]) mkdirSync(path.join(base, name), { recursive: true });
    const options = {
      denyRead: [`${base}/a`, `${base}/a/b/c`],
      write: [`${base}/a/b`],
      read: [`${base}/a/d`],
    };
    const { output } = await run(
      `cd '${base}/a'; echo x > b/new; ls b/c; ls d; echo x > d/new; ls .`,
      options,
    );
    expect(existsSync(path.join(base, "a/b/new"))).toBe(true);
    expect(output).toMatch(/ls: cannot open directory 'b\/c': Permission denied/);
    expect(output).toMatch(/cannot create d\/new: Read-only file system/);
    expect(output).toMatch(/ls: cannot open directory '.': Permission denied/);
  });

  test("runs a command in a linked worktree, whose .git is a file, and lets none replace it", async () => {
    writeFileSync(path.join(workspace, ".git"), "gitdir: /elsewhere\n");
    const { output } = await run("echo ran > new; echo x > .git; mv .git other; cat .git new");
    expect(output).toContain("gitdir: /elsewhere\nran");
    expect(existsSync(path.join(workspace, "other"))).toBe(false);
  });

  test("lets a rule allow what is denied by default", async () => {
    for (const name of ["home/.ssh", "it's a workspace/.git/hooks"])
      mkdirSync(path.join(base, name), { recursive: true });
    writeFileSync(path.join(base, "home/.ssh/known_hosts"), "known\n");
    const denied = await run("cat ~/.ssh/known_hosts; echo x > .git/hooks/x");
    expect(denied.output).toContain(
      `[The sandbox blocked writing ${workspace}/.git/hooks/x, reading ${base}/home/.ssh/known_hosts. Only the user can allow it, in the settings: sandbox.write (the folder of a new file), sandbox.read.]`,
    );
    const options = { read: ["~/.ssh/known_hosts"], write: [".git/hooks"] };
    expect(await run("cat ~/.ssh/known_hosts; echo x > .git/hooks/x", options)).toMatchObject({
      output: "known\n",
      exitCode: 0,
    });
  });

  test("refuses a denied path through a link that a command could replace", async () => {
    mkdirSync(path.join(base, "hooks"));
    symlinkSync(path.join(base, "hooks"), path.join(workspace, "hooks"));
    await expect(run("true", { denyWrite: ["hooks/pre-commit"] })).rejects.toMatchObject({
      code: "SANDBOX_LINK",
    });
    expect(readdirSync(path.join(base, "tmp"))).toEqual([]);
  });

  test("mounts no path in which a running command has put a link since it was checked", () => {
    mkdirSync(path.join(workspace, "a/b"), { recursive: true });
    const held = new HeldFiles();
    expect(held.hold(path.join(workspace, "a/b"))).toBe(3);
    expect(held.hold(path.join(workspace, "a"))).toBe(4);
    symlinkSync("a", path.join(workspace, "link"));
    for (const name of ["link", "link/b"])
      expect(() => held.hold(path.join(workspace, name))).toThrow(
        expect.objectContaining({ code: "SANDBOX_LINK" }),
      );
    held.close();
    expect(held.descriptors).toEqual([]);
  });

  test("hides a socket of another program from the command after one that renames its folder", async () => {
    mkdirSync(path.join(workspace, "folder"));
    const server = createServer();
    server.listen(path.join(workspace, "folder/s"));
    await once(server, "listening");
    expect(await run("mv folder other")).toMatchObject({ exitCode: 1 });
    const connect = `node -e 'const s = net.connect("other/s", () => { console.log("connected"); s.end(); }).on("error", (e) => console.log(e.code))'`;
    expect((await run(connect)).output).toMatch(/^ENOENT/);
    expect((await run(connect.replace("other", "folder"))).output).toMatch(/^E/);
    server.close();
  });

  describe("while a socket of another program vanishes as a command starts", () => {
    let server: Server;
    /** Put a Bubblewrap into the search path that first removes a socket, and a server behind that socket. */
    async function open(folder: string): Promise<void> {
      mkdirSync(path.join(base, "bin"));
      const program = `#!/bin/sh\nrm -rf '${base}/beside' outer.sock\nexec ${await findBubblewrap()} "$@"\n`;
      writeFileSync(path.join(base, "bin/bwrap"), program, { mode: 0o755 });
      // It is tried once, before there is a socket.
      vi.stubEnv("PATH", `${path.join(base, "bin")}:${process.env.PATH}`);
      await findBubblewrap();
      mkdirSync(folder, { recursive: true });
      server = createServer();
      server.listen(path.join(folder, "outer.sock"));
      await once(server, "listening");
    }
    afterEach(() => {
      server.close();
    });

    test("starts the command once where the folder can only be read", async () => {
      await open(path.join(base, "beside"));
      expect(await run("echo x >> ran; cat ran")).toEqual({ output: "x\n", exitCode: 0, timedOut: false });
      expect(existsSync(path.join(base, "beside"))).toBe(false);
    });

    test("leaves no file in place of the socket where the folder can be written", async () => {
      await open(workspace);
      expect(await run("echo x")).toMatchObject({ output: "x\n", exitCode: 0 });
      expect(readdirSync(workspace)).toEqual([]);
    });
  });

  test("fails after a number of starts where a socket of another program vanishes at each of them", async () => {
    const beside = path.join(base, "beside");
    for (const folder of ["bin", "beside"]) mkdirSync(path.join(base, folder));
    // Each start removes one of the sockets.
    const names = Array.from({ length: 20 }, (_, index) => path.join(beside, `s${index}`));
    const program = `#!/bin/sh\necho x >> '${base}/starts'\nfor s in '${beside}'/*; do rm "$s"; break; done\nexec ${await findBubblewrap()} "$@"\n`;
    writeFileSync(path.join(base, "bin/bwrap"), program, { mode: 0o755 });
    vi.stubEnv("PATH", `${path.join(base, "bin")}:${process.env.PATH}`);
    // The probes of the sandbox are tried once, before there is a socket.
    await run("true");
    rmSync(path.join(base, "starts"));
    const servers = names.map((name) => createServer().listen(name));
    await Promise.all(servers.map((one) => once(one, "listening")));
    await expect(run("echo x > ran")).rejects.toThrow("failed to start 5 times");
    expect(readFileSync(path.join(base, "starts"), "utf8")).toBe("x\n".repeat(5));
    expect(readdirSync(workspace)).toEqual([]);
    for (const one of servers) one.close();
  });

  test("creates nothing in a folder that another program removes while a command is prepared", async () => {
    const beside = path.join(base, "beside");
    for (const folder of ["bin", "beside/folder"]) mkdirSync(path.join(base, folder), { recursive: true });
    // The first start is a try, while the command is prepared.
    const program = `#!/bin/sh\n[ ! -S '${beside}/folder/s' ] || rm -r '${beside}/folder'\nexec ${await findBubblewrap()} "$@"\n`;
    writeFileSync(path.join(base, "bin/bwrap"), program, { mode: 0o755 });
    vi.stubEnv("PATH", `${path.join(base, "bin")}:${process.env.PATH}`);
    const server = createServer();
    server.listen(path.join(beside, "folder/s"));
    await once(server, "listening");
    expect(await run("ls ../beside")).toEqual({ output: "", exitCode: 0, timedOut: false });
    server.close();
  });

  test("gives a command none of the descriptors that this process inherited", async () => {
    const secret = path.join(workspace, "script.mts");
    const from = (name: string): string =>
      JSON.stringify(new URL(`../../../adapters/${name}`, import.meta.url).href);
    writeFileSync(
      secret,
      `import { CommandSandbox } from ${from("sandbox/command-sandbox.ts")};
       import { systemShell } from ${from("shell/shell.ts")};
       const run = (options) => systemShell(options).run({ command: "bash -c 'cat <&200'", cwd: ".", timeoutMs: 60_000, signal: new AbortController().signal, output() {} });
       const open = await run({});
       const contained = await run({ sandbox: new CommandSandbox({}, process.cwd()) });
       console.log(JSON.stringify([open.output, contained.exitCode]));`,
    );
    const tsx = path.resolve("node_modules/tsx/dist/esm/index.mjs");
    writeFileSync(path.join(base, "inherited"), "inherited");
    const command = `exec "$0" --import '${tsx}' script.mts 200< ../inherited`;
    const child = spawn("/bin/bash", ["-c", command, process.execPath], {
      cwd: workspace,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.on("data", (bytes: Buffer) => {
      output += bytes.toString();
    });
    await once(child, "close");
    expect(JSON.parse(output)).toEqual(["inherited", 1]);
  });

  describe("next to a server on this machine", () => {
    let server: Server;
    let port: number;
    beforeEach(async () => {
      server = createServer((request, response) =>
        response.end(`reached ${request.url} of ${request.headers.host}`),
      );
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      port = (server.address() as AddressInfo).port;
    });
    afterEach(() => {
      server.close();
    });
    const curl = (options: string, host: string): string =>
      `curl -sS --noproxy '' ${options} http://${host}:${port}/page`;

    test("reaches a host that a rule names, by a request and by a tunnel", async () => {
      const hosts = ["localhost"];
      const { output } = await run(`${curl("", "localhost")}; echo; ${curl("-p", "localhost")}`, { hosts });
      expect(output).toBe(`reached /page of localhost:${port}\nreached /page of localhost:${port}`);
    });

    test.each([
      ["by a request", "", /The sandbox does not let this command reach 127.0.0.1/],
      ["by a tunnel", "-p", /CONNECT tunnel failed, response 403/],
    ])("blocks a host that no rule names, and names it (%s)", async (_, options, said) => {
      const { output } = await run(curl(options, "127.0.0.1"), { hosts: ["localhost"] });
      expect(output).toMatch(said);
      expect(output).toContain(
        "[The sandbox blocked the host 127.0.0.1. Only the user can allow it, in the settings: sandbox.hosts.]",
      );
    });

    test.each(["", "-p"])(
      "blocks a host whose address is not public where a pattern matches it (%s)",
      async (options) => {
        const { output } = await run(curl(options, "localhost"), { hosts: ["*"] });
        expect(output).toContain("[The sandbox blocked the host localhost.");
        expect(output).not.toContain("reached");
      },
    );

    test("says that a host that is named can't be reached", async () => {
      server.close();
      const { output } = await run(curl("", "localhost"), { hosts: ["localhost"] });
      expect(output).toMatch(/ECONNREFUSED/);
      expect(output).not.toContain("The sandbox blocked");
    });
  });
});

test("does not run a command where no sandbox can be created", async () => {
  vi.stubEnv("PATH", "/nowhere");
  const sandbox = new CommandSandbox({}, tmpdir());
  const command = { command: "true", cwd: tmpdir(), timeoutMs: 60_000, signal: new AbortController().signal };
  await expect(systemShell({ sandbox }).run({ ...command, output: () => {} })).rejects.toMatchObject({
    code: "SANDBOX_MISSING",
  });
  vi.unstubAllEnvs();
});
