import { EventEmitter } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, describe, expect, test } from "vitest";
import { main } from "../../cli/main.ts";

const workspace = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
afterAll(() => rmSync(workspace, { recursive: true }));

async function listModes(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const io = Object.assign(new EventEmitter(), {
    stdin: new PassThrough().end(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: {},
  });
  const code = await main(["list", "modes", "-w", workspace, ...args], io);
  const said = (stream: PassThrough): string => String(stream.read() ?? "");
  return { code, stdout: said(io.stdout), stderr: said(io.stderr) };
}

function write(roo: string): void {
  writeFileSync(path.join(workspace, ".roomodes"), roo);
}

describe("list modes", () => {
  test("prints slug, name and origin of the built-in modes and of the workspace's modes", async () => {
    mkdirSync(path.join(workspace, ".signalbox"));
    writeFileSync(
      path.join(workspace, ".signalbox/modes.yaml"),
      "version: 1\nmodes: [{ slug: ask, name: Ask me, role: You answer., groups: [read] }]\n",
    );
    write(
      'customModes: [{ slug: docs, name: "Docs\\n\\e[2J", roleDefinition: You write., whenToUse: Write., groups: [[edit, { fileRegex: "\\\\.md$", description: Markdown }], mcp] }]\n',
    );
    const { code, stdout } = await listModes();
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        "architect\tArchitect\tbuilt in",
        "code\tCode\tbuilt in",
        "ask\tAsk me\t.signalbox/modes.yaml",
        "debug\tDebug\tbuilt in",
        "orchestrator\tOrchestrator\tbuilt in",
        "docs\tDocs \\u001b[2J\t.roomodes",
        "",
      ].join("\n"),
    );
  });

  test("prints them as JSON, with groups and when to use them", async () => {
    const { modes }: { modes: unknown[] } = JSON.parse((await listModes("--format", "json")).stdout);
    expect(modes[2]).toEqual({
      slug: "ask",
      name: "Ask me",
      groups: ["read"],
      origin: ".signalbox/modes.yaml",
    });
    expect(modes[5]).toMatchObject({
      slug: "docs",
      whenToUse: "Write.",
      groups: [{ edit: { files: "\\.md$", description: "Markdown" } }, "mcp"],
      origin: ".roomodes",
    });
  });

  test("reports the lines of a file that is not valid", async () => {
    write("customModes:\n  - slug: a b\n");
    const { code, stdout, stderr } = await listModes();
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(
      `[CLI] Error: ${path.join(workspace, ".roomodes")}:2:5: customModes.0.slug: expected a slug`,
    );
  });
});
