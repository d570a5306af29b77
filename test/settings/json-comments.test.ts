import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addMcpServer } from "../../settings/mcp-edit.ts";
import { addRule } from "../../settings/rule-edit.ts";
import { readProjectFiles, trust } from "../../settings/trust.ts";
import { problemOf, type SettingFolders, settingFolders } from "./support.ts";

let folders: SettingFolders;
beforeEach(() => {
  folders = settingFolders();
});
afterEach(() => folders.remove());

async function serversIn(text: string, name = ".mcp.json"): Promise<unknown> {
  folders.writeProject(text, name);
  await trust(await readProjectFiles(folders.workspace), folders.configDir);
  return (await folders.load()).settings.mcpServers;
}
const SERVER = '"mcpServers": {"a": {"command": "x", "args": ["http://x//y", "/* no comment */"]}}';
const FOUND = { a: { command: "x", args: ["http://x//y", "/* no comment */"] } };

describe("settings in JSON with comments", () => {
  test.each([
    ["before its first key", `{\n  // my servers\n  ${SERVER}\n}`],
    ["before all", `// my servers\n/* and\nmore */\n{ ${SERVER} }`],
    ["after all", `{ ${SERVER} } // end\n`],
    ["within a value", `{ ${SERVER.replace('"x",', '/* x */ "x", // y\n')} }`],
    ["and trailing commas", `{\r\n\t// tabs\r\n\t${SERVER},\r\n}\r\n`],
    ["and a byte order mark", `\ufeff{\n// c\n${SERVER}\n}`],
  ])("are read with a comment %s", async (_, text) => {
    expect(await serversIn(text)).toEqual(FOUND);
    expect(await serversIn(text, ".roo/mcp.json")).toEqual(FOUND);
    folders.writeUser(text.replace("{", '{ "version": 1,').replace(/^(\s*)\/\/.*\n\/\*.*\n.*\*\/\n/, "$1"));
    expect((await folders.load()).settings.mcpServers).toEqual(FOUND);
  });

  test("in UTF-16 are read", async () => {
    writeFileSync(path.join(folders.workspace, ".mcp.json"), Buffer.from(`\ufeff{ ${SERVER} }`, "utf16le"));
    await trust(await readProjectFiles(folders.workspace), folders.configDir);
    expect((await folders.load()).settings.mcpServers).toEqual(FOUND);
  });

  test("that are invalid are an error with file, line and column", async () => {
    for (const text of [
      '{\n  // servers\n  "mcpServers": {"a" "b"}\n}',
      '{\n  // c\n  "mcpServers": {"a": 1}\n}',
    ])
      expect(await problemOf(serversIn(text))).toMatch(/^SETTINGS_INVALID .*\/\.mcp\.json:3:\d+: /);
    expect(await problemOf(serversIn('{ "mcpServers": {} }\n{}'))).toContain(".mcp.json:2:1");
  });

  test("may be YAML whose values have slashes", async () => {
    folders.writeUser("{version: 1, mcpServers: {a: {url: http://x/y}}}");
    expect((await folders.load()).settings.mcpServers).toEqual({ a: { url: "http://x/y" } });
  });

  test("are rejected in YAML, which would take a comment for a key", async () => {
    folders.writeUser("{version: 1,\n// servers\nmcpServers: {}}");
    expect(await problemOf(folders.load())).toMatch(
      /settings\.yaml:2:1: .*looks like a comment\. In YAML, begin one with #/,
    );
  });

  test("are not changed by a command: the comments would be lost", async () => {
    const text = '{\n  // mine\n  "version": 1\n}\n';
    const file = folders.writeUser(text);
    for (const change of [
      () => addRule(file, "allow", "edit(a)"),
      () => addMcpServer(file, "a", { command: "x" }),
    ])
      expect(await problemOf(change())).toContain(
        "expected YAML, or JSON without comments: they would be lost",
      );
    expect(readFileSync(file, "utf8")).toBe(text);
  });
});
