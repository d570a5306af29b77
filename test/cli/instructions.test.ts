import { EventEmitter } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { main } from "../../cli/main.ts";
import { configFolder } from "../../cli/settings/config-folder.ts";
import { parseScript } from "../../testing/mock/script/script-parser.ts";
import { startMock } from "../../testing/mock/server/server.ts";

const folder = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

function put(file: string, text: string): void {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
  writeFileSync(path.join(folder, file), text);
}

describe("the command", () => {
  test("reads the user's rules and skills in XDG_CONFIG_HOME", async () => {
    put("config/signalbox/AGENTS.md", "Be brief.");
    put("config/signalbox/skills/release/SKILL.md", "---\nname: release\ndescription: How to release\n---\n");
    put("work/AGENTS.md", "Be kind.");
    const mock = await startMock(parseScript("[{ text: Done. }]"));
    onTestFinished(() => mock.close());
    const io = Object.assign(new EventEmitter(), {
      stdin: new PassThrough().end(),
      stdout: new PassThrough(),
      stderr: new PassThrough(),
      env: { XDG_CONFIG_HOME: path.join(folder, "config") },
    });
    const args = [
      "run",
      "-p",
      "-k",
      "any",
      "--ephemeral",
      "-w",
      path.join(folder, "work"),
      "--base-url",
      mock.url,
    ];
    expect(await main([...args, "Go"], io)).toBe(0);
    const body = JSON.stringify(mock.requests[0]?.body);
    expect(body).toMatch(/Be brief\..*Be kind\..*- release: How to release/);
  });

  test("takes ~/.config where XDG_CONFIG_HOME is not set, or not absolute", () => {
    const standard = path.join(homedir(), ".config", "signalbox");
    expect(configFolder({ env: {} })).toBe(standard);
    expect(configFolder({ env: { XDG_CONFIG_HOME: "" } })).toBe(standard);
    expect(configFolder({ env: { XDG_CONFIG_HOME: "config" } })).toBe(standard);
    expect(configFolder({ env: { XDG_CONFIG_HOME: "/x" } })).toBe(path.join("/x", "signalbox"));
  });
});
