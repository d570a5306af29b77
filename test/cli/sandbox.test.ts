import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { main } from "../../cli/main.ts";
import { silentIo } from "./in-process.ts";
import { temporaryFolder } from "./process.ts";

const folder = temporaryFolder();
const workspace = path.join(folder.path, "work");
const config = path.join(folder.path, "config");
beforeAll(() => {
  for (const each of [workspace, path.join(config, "signalbox")]) mkdirSync(each, { recursive: true });
  writeFileSync(
    path.join(config, "signalbox/settings.yaml"),
    "version: 1\npermissions: { mode: auto }\nsandbox: { enabled: true, allowCommands: true }\n",
  );
});
afterAll(() => folder.remove());

async function signalbox(...args: readonly string[]) {
  const io = Object.assign(silentIo(), { env: { XDG_CONFIG_HOME: config } });
  const code = await main([...args, "-w", workspace], io);
  return { code, stdout: String(io.stdout.read() ?? ""), stderr: String(io.stderr.read() ?? "") };
}

describe("the command with a sandbox in its settings", () => {
  test("starts no task where none can be created, and says what to install", async () => {
    vi.stubEnv("PATH", "/nowhere");
    const data = path.join(folder.path, "data");
    const { code, stderr } = await signalbox(
      "run",
      "Go",
      "--print",
      "--provider",
      "mock",
      "--data-dir",
      data,
    );
    vi.unstubAllEnvs();
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /Error: SANDBOX_MISSING: Expected a current Bubblewrap .* Install the package bubblewrap, or run without a sandbox\. The setting is sandbox\.enabled\.\n$/,
    );
  });

  test("explains that mode auto allows a command line whatever it contains", async () => {
    const { stdout } = await signalbox("permissions", "explain", "echo $(ls) > a");
    expect(stdout).toMatch(/^allow/);
    expect(stdout).toContain("mode auto");
  });
});
