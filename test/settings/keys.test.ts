import { chmodSync, chownSync } from "node:fs";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { readProfileKey } from "../../settings/index.ts";
import { problemOf, type SettingFolders, settingFolders } from "./support.ts";

let folders: SettingFolders;
const all: SettingFolders[] = [];
beforeEach(() => {
  folders = settingFolders();
  all.push(folders);
});
afterAll(() => {
  for (const each of all) each.remove();
});

const key = (name: string, keyVariable?: string, env: Readonly<Record<string, string>> = {}) =>
  readProfileKey(name, { keyVariable }, { configDir: folders.configDir, env });

describe("the key of a profile", () => {
  test("is read from its environment variable", async () => {
    folders.writeUser("work: sk-file", "keys.yaml");
    expect(await key("work", "WORK_KEY", { WORK_KEY: "sk-env" })).toBe("sk-env");
    expect(await problemOf(key("work", "WORK_KEY"))).toBe(
      "NO_KEY profile work: expected its API key in the environment variable WORK_KEY, which is not set. Set it, or name another with keyVariable.",
    );
  });

  test("is read from keys.yaml, if the file has one", async () => {
    expect(await key("work")).toBeUndefined();
    folders.writeUser("work: sk-file\nhome: sk-other\n", "keys.yaml");
    expect(await key("work")).toBe("sk-file");
    expect(await key("constructor")).toBeUndefined();
  });

  test.each([0o644, 0o640, 0o602, 0o660])("is not read from a file of mode %o", async (mode) => {
    const file = folders.writeUser("work: sk-file", "keys.yaml");
    chmodSync(file, mode);
    expect(await problemOf(key("work"))).toBe(
      `KEYS_EXPOSED ${file}: expected a file of mode 0600 that belongs to you, received mode 0${mode.toString(8)}. Run: chmod 600 ${file}`,
    );
  });

  test.skipIf(process.getuid?.() !== 0)("is not read from a file of another user", async () => {
    const file = folders.writeUser("work: sk-file", "keys.yaml");
    chownSync(file, 12_345, 12_345);
    expect(await problemOf(key("work"))).toContain("received the user 12345");
  });

  test.each([
    "sk-file",
    "work: [sk-file]",
    "work: {sk-file: 1}",
    "work: sk-file\nwork: sk-file",
    "a: sk-file: b",
    "- sk-file",
  ])("is not in the error of a file that can't be parsed: %s", async (text) => {
    folders.writeUser(text, "keys.yaml");
    const problem = await problemOf(key("work"));
    expect(problem).toMatch(/^SETTINGS_INVALID .*keys\.yaml:\d+:\d+: expected /);
    expect(problem).not.toContain("sk-file");
  });
});
