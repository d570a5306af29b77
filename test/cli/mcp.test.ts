import { EventEmitter } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { main } from "../../cli/main.ts";
import { authorizedServer, logIn } from "../support/mcp/authorization-server.ts";
import { rawServer, referenceServer } from "../support/mcp/servers.ts";

const folder = mkdtempSync(path.join(tmpdir(), "signalbox-mcp-"));
const workspace = path.join(folder, "work");
beforeAll(() => mkdirSync(workspace));
afterAll(() => rmSync(folder, { recursive: true }));

const env = { XDG_CONFIG_HOME: folder };

async function run(args: readonly string[], config = env) {
  const io = Object.assign(new EventEmitter(), {
    stdin: new PassThrough().end(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: config,
  });
  const code = await main(args, io);
  const said = (stream: PassThrough): string => String(stream.read() ?? "");
  return { code, stdout: said(io.stdout), stderr: said(io.stderr) };
}

const mcp = (...args: readonly string[]) => run(["mcp", ...args, "-w", workspace]);

const files = referenceServer("filesystem", workspace);
const argumentsOf = ({ command, args = [] }: typeof files & { readonly args?: readonly string[] }) => [
  command,
  ...args,
];

test("a new user adds a server, tests it, and a task calls its tool", async () => {
  const added = await run(["mcp", "add", "-w", workspace, "files", ...argumentsOf(files)]);
  expect(added).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("To try it: signalbox mcp test files"),
  });
  const tested = await mcp("test", "files");
  expect(tested).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^the MCP server files is ready\.\n {2}files__read_file\n/),
  });
  writeFileSync(path.join(workspace, "a.txt"), "the content");
  const script = path.join(folder, "script.yaml");
  const input = JSON.stringify({ path: path.join(workspace, "a.txt") });
  writeFileSync(
    script,
    `[{ tool: files__read_text_file, input: ${input} }, { tool: attempt_completion, input: { result: Done. } }]`,
  );
  const flags = ["-p", "-w", workspace, "--data-dir", path.join(folder, "data"), "--allow", "mcp(files/*)"];
  const ran = await run([...flags, "--provider", "mock", "--script", script, "Go on"]);
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("the content") });
  expect(readFileSync(path.join(folder, "signalbox/mcp-approvals.json"), "utf8")).toMatch(
    /\/read_text_file": "[0-9a-f]{64}"/,
  );
});

describe("signalbox mcp", () => {
  test("lists servers with their files, shows one without its secrets, and removes it", async () => {
    const more = ["-e", "TOKEN=secret", "-e", `OTHER=\${OTHER}`];
    await run(["mcp", "add", "-w", workspace, "--project", ...more, "git", "git-server", "--verbose"]);
    expect((await mcp("list")).stdout).not.toContain("git");
    await run(["config", "trust", "--yes", "-w", workspace]);
    expect((await mcp("list")).stdout).toContain("git: git-server --verbose  (.signalbox/settings.yaml:");
    const shown = await mcp("get", "git");
    expect(shown.stdout).toContain('"TOKEN": "[masked]"');
    expect(shown.stdout).toContain(`"OTHER": "\${OTHER}"`);
    expect((await mcp("test", "git")).stderr).toContain(
      "the MCP server git is left out: expected the environment variable OTHER, which is not set.",
    );
    expect((await mcp("remove", "git", "--project")).stdout).toMatch(/^Removed git from /);
    expect(await mcp("remove", "git", "--project")).toMatchObject({ code: 1 });
  });

  test("reports a server that can't be started, and names the servers instead of an unknown one", async () => {
    await run(["mcp", "add", "-w", workspace, "crash", ...argumentsOf({ ...files, ...rawServer("crash") })]);
    const tested = await mcp("test", "crash");
    expect(tested).toMatchObject({ code: 1, stdout: expect.stringContaining("no configuration") });
    expect((await mcp("get", "none")).stderr).toContain("no MCP server has the name none: expected one of");
    await mcp("remove", "crash");
    const empty = await run(["mcp", "test", "x", "-w", workspace], {
      XDG_CONFIG_HOME: path.join(folder, "empty"),
    });
    expect(empty.stderr).toContain(
      "no MCP server has the name x: there is none. To add one: signalbox mcp add",
    );
  });

  test("passes all that stands behind the name on to the program, options too", async () => {
    const added = await run(["mcp", "add", "npx-server", "npx", "-y", "some-server", "."]);
    expect(added).toMatchObject({ code: 0, stderr: "" });
    await run(["mcp", "add", "other", "-e", "TOKEN=secret", "prog", "-e", "A=b"]);
    const { stdout } = await mcp("list");
    expect(stdout).toContain("npx-server: npx -y some-server .  (");
    expect(stdout).toContain("other: prog -e A=b  (");
    expect((await mcp("get", "other")).stdout).toContain('"TOKEN": "[masked]"');
    expect((await run(["mcp", "add", "third", "--unknown", "prog"])).stderr).toContain(
      "unknown option '--unknown'",
    );
    await mcp("remove", "npx-server");
    await mcp("remove", "other");
  });

  test("takes a command or a URL, and pairs of names and values", async () => {
    expect((await mcp("add", "x")).stderr).toContain("expected either command or url");
    expect((await mcp("add", "x", "--url", "https://x.example", "-H", "Token")).stderr).toContain(
      "expected --header NAME:VALUE",
    );
  });
});

describe("a server that needs a login", () => {
  /** Log in, in the browser of a person. */
  async function login(): Promise<{ readonly code: number; readonly stdout: string }> {
    const stdout = new PassThrough().setEncoding("utf8");
    const io = { stdin: new PassThrough().end(), stdout, stderr: new PassThrough(), env };
    const shown: string[] = [];
    const opened: Promise<string>[] = [];
    stdout.on("data", (text: string) => {
      shown.push(text);
      for (const [address] of text.matchAll(/^http:.*$/gm)) opened.push(logIn(new URL(address)));
    });
    const args = ["mcp", "login", "tracker", "-w", workspace];
    const code = await main(args, Object.assign(new EventEmitter(), io));
    await Promise.all(opened);
    return { code, stdout: shown.join("") };
  }

  test("is used after it, and its tokens are nowhere but in their file", async () => {
    await using server = await authorizedServer();
    await mcp("add", "tracker", "--url", server.url);
    const needed = await mcp("test", "tracker");
    expect(needed).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("is not ready. It needs a login."),
    });
    expect(await login()).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Logged in to tracker."),
    });
    expect((await mcp("list")).stdout).toMatch(/^tracker: .*\) {2}logged in$/m);
    const script = path.join(folder, "login.yaml");
    const call = (tool: string) => `{ tool: tracker__${tool}, input: {} }`;
    const steps = [call("repeat"), call("admin"), "{ tool: attempt_completion, input: { result: Done. } }"];
    writeFileSync(script, `[${steps.join(", ")}]`);
    const data = path.join(folder, "login-data");
    const flags = ["-p", "--debug", "-w", workspace, "--data-dir", data, "--allow", "mcp(tracker/*)"];
    server.expire();
    const ran = await run([...flags, "--provider", "mock", "--script", script, "Go on"]);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("Your token is [masked].") });
    expect(server.grants).toHaveLength(2);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) =>
      each.isFile(),
    );
    const texts = files
      .filter(({ parentPath }) => !parentPath.endsWith("mcp-logins"))
      .map(({ parentPath, name }) => readFileSync(path.join(parentPath, name), "utf8"));
    expect(texts.join()).toContain("Your token is [masked].");
    for (const secret of server.secrets) expect([...texts, JSON.stringify(ran)].join()).not.toContain(secret);
    expect(await run(["mcp", "logout", "tracker"])).toMatchObject({ code: 0 });
    expect(await run(["mcp", "logout", "tracker"])).toMatchObject({ code: 1 });
    expect((await mcp("test", "tracker")).code).toBe(1);
    await mcp("remove", "tracker");
  });

  test("is named with the command where its client is set, whose secret is not shown", async () => {
    await using server = await authorizedServer();
    const settings = path.join(folder, "signalbox/settings.yaml");
    const before = readFileSync(settings, "utf8");
    writeFileSync(
      settings,
      `version: 1\nmcpServers: { own: { url: "${server.url}", oauth: { clientId: me, clientSecret: hidden } } }\n`,
    );
    expect((await mcp("list")).stdout).toContain("needs a login: signalbox mcp login own");
    expect((await mcp("get", "own")).stdout).toMatch(/"clientId": "me",\s+"clientSecret": "\[masked\]"/);
    writeFileSync(settings, before);
  });
});

test("the servers of .mcp.json take effect once the project is trusted, and lose it with a change", async () => {
  const file = path.join(workspace, ".mcp.json");
  const write = (servers: object) => writeFileSync(file, JSON.stringify({ mcpServers: servers, other: 1 }));
  write({ web: { type: "http", url: "https://mcp.example/mcp", note: "of another program" } });
  expect((await mcp("list")).stdout).not.toContain("web");
  const trusted = await run(["config", "trust", "--yes", "-w", workspace]);
  expect(trusted.stdout).toContain('mcpServers.web: {"url":"https://mcp.example/mcp"}');
  expect((await mcp("list")).stdout).toContain("web: https://mcp.example/mcp  (.mcp.json:1)");
  write({ web: { command: "evil" } });
  expect((await mcp("list")).stdout).not.toContain("web");
});
