import { EventEmitter } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { main } from "../../cli/main.ts";
import { parseScript } from "../../testing/mock/script/script-parser.ts";
import { startMock } from "../../testing/mock/server/server.ts";
import { openProxy, stubProxies } from "../support/proxy-server.ts";
import { hasSandbox } from "../support/sandbox.ts";
import { temporaryFolder } from "./process.ts";

const KEY = "sk-secret-0123456789";
const folder = temporaryFolder();
afterAll(() => folder.remove());
const workspace = path.join(folder.path, "work");
const config = path.join(folder.path, "config");
const data = path.join(folder.path, "data");
mkdirSync(workspace);
mkdirSync(path.join(config, "signalbox"), { recursive: true });
writeFileSync(
  path.join(config, "signalbox/settings.yaml"),
  `version: 1
mode: architect
mcpServers:
  notes: { command: no-such-server, env: { TOKEN: ${KEY} } }
`,
);

async function doctor(args: readonly string[], env: Readonly<Record<string, string>> = {}, name = "doctor") {
  const io = Object.assign(new EventEmitter(), {
    stdin: new PassThrough().end(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: { PATH: process.env.PATH, XDG_CONFIG_HOME: config, ...env },
  });
  const code = await main([name, "-w", workspace, "--data-dir", data, ...args], io);
  return { code, stdout: String(io.stdout.read() ?? ""), stderr: String(io.stderr.read() ?? "") };
}

describe("doctor shows what a run would use", () => {
  test("names versions, keys, model, settings with their origin, MCP servers and files, and never a key", async () => {
    const { code, stdout, stderr } = await doctor([], { ANTHROPIC_API_KEY: KEY });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(`  ok       Node ${process.versions.node}\n`);
    expect(stdout).toMatch(/^ {2}ok {7}git version /m);
    expect(stdout).toMatch(/^ {2}ok {7}ripgrep /m);
    expect(stdout).toContain("  ok       anthropic: ANTHROPIC_API_KEY is set\n");
    expect(stdout).toContain("  ok       anthropic, claude-sonnet-4-6, at https://api.anthropic.com\n");
    expect(stdout).toMatch(/mode: architect {2}\(.*settings\.yaml:2\)$/m);
    expect(stdout).toContain("  note     notes: not started. --online starts it.\n");
    expect(stdout).toMatch(/data directory .*: not created yet, .* free$/m);
    expect(stdout).toMatch(/Nothing prevents a run\.\n$/);
    expect(stdout).not.toContain(KEY);
  });

  test("says whether commands run in a sandbox, and that the missing one prevents a run", async () => {
    mkdirSync(path.join(config, "boxed/signalbox"), { recursive: true });
    writeFileSync(
      path.join(config, "boxed/signalbox/settings.yaml"),
      "version: 1\nsandbox: { enabled: true }\n",
    );
    const env = { ANTHROPIC_API_KEY: KEY, XDG_CONFIG_HOME: path.join(config, "boxed") };
    expect((await doctor([], { ANTHROPIC_API_KEY: KEY })).stdout).toContain(
      "the system's shell, without a sandbox\n",
    );
    if (hasSandbox) expect((await doctor([], env)).stdout).toContain("the system's shell, in a sandbox\n");
    vi.stubEnv("PATH", "/nowhere");
    const { code, stdout } = await doctor([], env);
    vi.unstubAllEnvs();
    expect(code).toBe(1);
    expect(stdout).toMatch(/problem {2}Expected a current Bubblewrap .* Install the package bubblewrap/);
  });

  test("is also called status, and writes one line of JSON", async () => {
    const { code, stdout } = await doctor(["--format", "json"], { ANTHROPIC_API_KEY: KEY }, "status");
    expect(code).toBe(0);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ type: "doctor", isReady: true });
    expect(report.findings).toContainEqual({
      about: "keys",
      level: "ok",
      text: "anthropic: ANTHROPIC_API_KEY is set",
    });
    expect(stdout).not.toContain(KEY);
  });

  test("with --online reaches the endpoint without a request to the model, and starts the MCP servers", async () => {
    const mock = await startMock(parseScript("[{ text: Done. }]"));
    onTestFinished(() => mock.close());
    const { code, stdout } = await doctor(["--online", "--base-url", mock.url], { ANTHROPIC_API_KEY: KEY });
    expect(code).toBe(0);
    expect(stdout).toContain(`${mock.url} answers (HTTP `);
    expect(stdout).toMatch(/^ {2}warning {2}the MCP server notes is not ready/m);
    expect(mock.requests.filter(({ turn }) => turn !== undefined)).toEqual([]);
  });

  test("with --online reaches the endpoint through the proxy of a run", async () => {
    const mock = await startMock(parseScript("[{ text: Done. }]"));
    onTestFinished(() => mock.close());
    const proxy = await openProxy(Number(new URL(mock.url).port));
    stubProxies({ HTTP_PROXY: proxy.url });
    const { stdout } = await doctor(["--online", "--base-url", "http://model.invalid"], {
      ANTHROPIC_API_KEY: KEY,
    });
    expect(stdout).toContain("http://model.invalid answers (HTTP ");
    expect(proxy.requests).toEqual([expect.stringMatching(/^GET http:\/\/model\.invalid\//)]);
  });

  test("shows no password of an endpoint", async () => {
    const { stdout } = await doctor(["--base-url", "https://me:hidden@llm.example"], {
      ANTHROPIC_API_KEY: KEY,
    });
    expect(stdout).toContain("at https://llm.example\n");
    expect(stdout).not.toContain("hidden");
  });
});

describe("doctor exits with code 1 if something prevents a run", () => {
  test.each([
    ["no key", [], {}, "problem  no API key: set ANTHROPIC_API_KEY"],
    ["an unknown profile", ["--profile", "none"], { ANTHROPIC_API_KEY: KEY }, "problem  "],
    [
      "no workspace",
      ["-w", "/no/such/folder"],
      { ANTHROPIC_API_KEY: KEY },
      "/no/such/folder is not a folder",
    ],
    [
      "an endpoint that can't be reached",
      ["--online", "--base-url", "http://127.0.0.1:9"],
      { ANTHROPIC_API_KEY: KEY },
      "problem  http://127.0.0.1:9 can't be reached: ",
    ],
    [
      "a data directory in a file",
      ["--data-dir", path.join(config, "signalbox/settings.yaml")],
      { ANTHROPIC_API_KEY: KEY },
      "is not a folder. Give another one with --data-dir.",
    ],
  ] as const)("%s", async (_, args, env, words) => {
    const { code, stdout } = await doctor(args, env);
    expect(code).toBe(1);
    expect(stdout).toContain(words);
    expect(stdout).toMatch(/prevents? a run\.\n$/);
  });
});
