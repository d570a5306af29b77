import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { selectMcpServers, selectSandbox } from "../../settings/index.ts";
import { readProjectFiles, trust } from "../../settings/trust.ts";
import { problemOf, type SettingFolders, settingFolders } from "./support.ts";

let folders: SettingFolders;
beforeEach(() => {
  folders = settingFolders();
});
afterEach(() => folders.remove());

const selected = async () => selectSandbox(await folders.load(), folders.configDir);
const file = (...lines: readonly string[]): string => ["version: 1", "sandbox:", ...lines].join("\n");

describe("The sandbox of settings", () => {
  test("is off without the setting, but hides the keys of profiles from hooks and servers", async () => {
    const keys = [`${folders.configDir}/keys.yaml`, `${folders.configDir}/mcp-logins`];
    expect(await selected()).toEqual({ commands: undefined, accesses: { denyRead: keys } });
    folders.writeUser(file("  enabled: true", "  allowCommands: true", "  hosts: [a.test]"));
    const accesses = { denyRead: keys, hosts: ["a.test"] };
    expect(await selected()).toEqual({ commands: { ...accesses, allowCommands: true }, accesses });
  });

  test("has the denials of a project that is not trusted, and its other settings if it is", async () => {
    folders.writeUser(file("  enabled: true", "  denyRead: [~/own]", "  hosts: [a.test]"));
    folders.writeProject(
      file(
        ...["  enabled: false", "  denyRead: [.env]", "  denyWrite: [.github]"],
        ...["  hosts: [b.test]", "  write: [~/.npm]", "  read: [~/.ssh]", "  allowCommands: true"],
      ),
    );
    const { commands, accesses } = await selected();
    expect(commands).toEqual(accesses);
    expect(accesses.denyRead?.slice(0, 2)).toEqual(["~/own", ".env"]);
    expect(accesses).toMatchObject({ denyWrite: [".github"], hosts: ["a.test"] });
    expect(Object.keys(commands ?? {}).sort()).toEqual(["denyRead", "denyWrite", "hosts"]);
    await trust(await readProjectFiles(folders.workspace), folders.configDir);
    expect(await selected()).toMatchObject({
      commands: undefined,
      accesses: { hosts: ["a.test", "b.test"], write: ["~/.npm"], read: ["~/.ssh"] },
    });
  });

  test("can be turned on by a project that is not trusted", async () => {
    folders.writeProject(file("  enabled: true"));
    const { commands, accesses } = await selected();
    expect(commands).toEqual(accesses);
  });

  test("rejects a host that is not one", async () => {
    folders.writeUser(file('  hosts: ["https://a.test"]'));
    expect(await problemOf(folders.load())).toMatch(/sandbox\.hosts\.0: expected a host such as/);
  });

  test("says to quote a ~, which YAML reads as null", async () => {
    folders.writeUser(file("  write: [~]"));
    expect(await problemOf(folders.load())).toMatch(
      /sandbox\.write\.0: expected a text, received null, .* Quote the text, such as "~\/"\.$/,
    );
  });

  test("is for the MCP servers that want it", async () => {
    folders.writeUser(
      'version: 1\nmcpServers:\n  a: { command: a, sandbox: true }\n  b: { command: b }\n  c: { url: "https://c.test", sandbox: true }',
    );
    const { servers } = selectMcpServers(await folders.load(), {}, { hosts: ["a.test"] });
    expect(servers).toEqual({
      a: { command: "a", sandbox: { hosts: ["a.test"] } },
      b: { command: "b" },
      c: { url: "https://c.test" },
    });
  });
});
