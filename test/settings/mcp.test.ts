import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { selectMcpServers } from "../../settings/index.ts";
import { readProjectFiles, trust } from "../../settings/trust.ts";
import { problemOf, type SettingFolders, settingFolders } from "./support.ts";

let folders: SettingFolders;
beforeEach(() => {
  folders = settingFolders();
});
afterEach(() => folders.remove());

const selected = async (env: Readonly<Record<string, string>> = {}) =>
  selectMcpServers(await folders.load(), env);

const trusted = async (): Promise<void> =>
  trust(await readProjectFiles(folders.workspace), folders.configDir);

describe("the MCP servers of settings", () => {
  test("have the variables of the environment in their texts, or what is given in place of one", async () => {
    folders.writeUser(
      [
        "version: 1",
        "mcpServers:",
        `  git: { command: "\${BIN}/git", args: ["\${A:-all}", "$B \${"], env: { TOKEN: "\${TOKEN}" }, timeout: 5 }`,
        `  web: { url: "\${BASE}/mcp", headers: { Authorization: "Bearer \${TOKEN}" }, disabledTools: [push], oauth: { clientId: me, clientSecret: "\${TOKEN}", issuer: "\${BASE}", scopes: [read] } }`,
        "  off: { command: never, disabled: true }",
      ].join("\n"),
    );
    expect(await selected({ BIN: "/bin", TOKEN: "secret", BASE: "https://mcp.example" })).toEqual({
      servers: {
        git: { command: "/bin/git", args: ["all", "$B ${"], env: { TOKEN: "secret" }, timeout: 5 },
        web: {
          url: "https://mcp.example/mcp",
          headers: { Authorization: "Bearer secret" },
          disabledTools: ["push"],
          oauth: { clientId: "me", clientSecret: "secret", issuer: "https://mcp.example", scopes: ["read"] },
        },
      },
      problems: [],
    });
    const { servers, problems } = await selected({ BIN: "/bin", BASE: "file:///etc", TOKEN: "secret" });
    expect(Object.keys(servers)).toEqual(["git"]);
    expect(problems).toEqual([
      expect.stringMatching(
        /settings\.yaml:4: the MCP server web is left out: expected an http or https URL/,
      ),
    ]);
    expect((await selected()).problems).toEqual([
      expect.stringContaining("expected the environment variable BIN, TOKEN, which is not set."),
      expect.stringContaining("expected the environment variable BASE, which is not set."),
    ]);
  });

  test("are read from a project's files, the last one first, only while it is trusted", async () => {
    folders.writeProject(
      '{"mcpServers": {"a": {"command": "roo"}, "b": {"command": "roo"}}}',
      ".roo/mcp.json",
    );
    folders.writeProject('{"mcpServers": {"b": {"command": "mcp"}, "c": {"command": "mcp"}}}', ".mcp.json");
    folders.writeProject("version: 1\nmcpServers: { c: { command: own } }\n");
    expect((await selected()).servers).toEqual({});
    await trusted();
    expect((await selected()).servers).toEqual({
      a: { command: "roo" },
      b: { command: "mcp" },
      c: { command: "own" },
    });
  });

  test("of another program's file may have more for a login than is known here", async () => {
    folders.writeProject(
      '{"mcpServers": {"a": {"url": "https://a.example", "oauth": {"port": 1}}}}',
      ".mcp.json",
    );
    await trusted();
    expect((await selected()).servers).toEqual({ a: { url: "https://a.example", oauth: {} } });
  });

  test("have either a command or a URL", async () => {
    folders.writeProject('{"mcpServers": {"a": {"command": "x", "url": "y"}}}', ".mcp.json");
    await trusted();
    expect(await problemOf(folders.load())).toMatch(/mcpServers\.a: expected either command or url\./);
  });
});
