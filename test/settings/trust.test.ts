import {
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { isTrusted, PROJECT_FILES, readProjectFiles, trust, untrust } from "../../settings/trust.ts";
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
const read = () => readProjectFiles(folders.workspace);
const trusted = async (): Promise<boolean> => isTrusted(await read(), folders.configDir);

describe("trust in a project", () => {
  test("is needed only where the project has such files", async () => {
    expect(await trusted()).toBe(true);
    folders.writeProject("version: 1");
    expect(await trusted()).toBe(false);
  });

  test("lasts in a private file until it is taken back", async () => {
    folders.writeProject("version: 1");
    await trust(await read(), folders.configDir);
    expect(await trusted()).toBe(true);
    const file = path.join(folders.configDir, "trusted.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).toContain(folders.workspace);
    expect(await untrust(await read(), folders.configDir)).toBe(true);
    expect(await trusted()).toBe(false);
    expect(await untrust(await read(), folders.configDir)).toBe(false);
  });

  test.each(PROJECT_FILES)("ends when %s appears, changes or disappears", async (name) => {
    const other = PROJECT_FILES.find((each) => each !== name) ?? "";
    folders.writeProject("version: 1", other);
    await trust(await read(), folders.configDir);
    folders.writeProject("version: 1", name);
    expect(await trusted()).toBe(false);
    await trust(await read(), folders.configDir);
    folders.writeProject("version: 1 ", name);
    expect(await trusted()).toBe(false);
    await trust(await read(), folders.configDir);
    renameSync(path.join(folders.workspace, name), path.join(folders.workspace, "gone"));
    expect(await trusted()).toBe(false);
  });

  test("is about the content of each file, not about all of them together", async () => {
    folders.writeProject("ab", ".signalbox/settings.yaml");
    folders.writeProject("c", ".signalbox/modes.yaml");
    const { digest } = await read();
    folders.writeProject("a", ".signalbox/settings.yaml");
    folders.writeProject("bc", ".signalbox/modes.yaml");
    expect((await read()).digest).not.toBe(digest);
  });

  test("does not take the text of one file for another file", async () => {
    // A file with a NUL at its start is no text.
    const start = "#".repeat(8_192);
    folders.writeProject(`${start}\0.signalbox/modes.yaml\0b`, ".signalbox/settings.yaml");
    const { digest } = await read();
    folders.writeProject(`${start}\0`, ".signalbox/settings.yaml");
    folders.writeProject("b", ".signalbox/modes.yaml");
    expect((await read()).digest).not.toBe(digest);
  });

  test("is about the real path: a symlink to the folder is the folder, and another folder with the same files is not", async () => {
    folders.writeProject("version: 1");
    await trust(await read(), folders.configDir);
    const link = path.join(folders.root, "link");
    symlinkSync(folders.workspace, link);
    expect(await isTrusted(await readProjectFiles(link), folders.configDir)).toBe(true);
    const copy = path.join(folders.root, "copy");
    mkdirSync(path.join(copy, ".signalbox"), { recursive: true });
    writeFileSync(path.join(copy, ".signalbox/settings.yaml"), "version: 1");
    expect(await isTrusted(await readProjectFiles(copy), folders.configDir)).toBe(false);
  });

  test("is about the text that was read, not about what the file has become", async () => {
    folders.writeProject("version: 1");
    const shown = await read();
    folders.writeProject("version: 1\nmode: ask");
    await trust(shown, folders.configDir);
    expect(await trusted()).toBe(false);
  });

  test("remembers a thousand folders", async () => {
    const digest = "0".repeat(64);
    for (const [_index] of Array.from({ length: 1_000 }).entries()) folders.writeUser;
    const many = Array.from({ length: 1_000 }, (_, index) => ({ folder: `/p/${index}`, sha256: digest }));
    folders.writeUser(JSON.stringify({ version: 1, folders: many }), "trusted.json");
    folders.writeProject("version: 1");
    await trust(await read(), folders.configDir);
    const texts = readFileSync(path.join(folders.configDir, "trusted.json"), "utf8");
    expect(texts.match(/sha256/g)).toHaveLength(1_000);
    expect(texts).not.toContain('"/p/0"');
    expect(await trusted()).toBe(true);
  });
});

describe("a file of a project", () => {
  test.each(PROJECT_FILES)("%s must not be a symlink to a file outside", async (name) => {
    const secret = path.join(folders.root, "secret");
    writeFileSync(secret, "sk-secret: 1");
    symlinkSync(secret, path.join(folders.workspace, name));
    const problem = await problemOf(read());
    expect(problem).toContain(
      `SETTINGS_UNREADABLE ${path.join(folders.workspace, name)}: expected a file inside`,
    );
    expect(problem).not.toContain("sk-secret");
  });

  test("must not be in a folder that is a symlink to one outside", async () => {
    renameSync(path.join(folders.workspace, ".signalbox"), path.join(folders.root, "elsewhere"));
    symlinkSync(path.join(folders.root, "elsewhere"), path.join(folders.workspace, ".signalbox"));
    writeFileSync(path.join(folders.root, "elsewhere/settings.yaml"), "version: 1");
    expect(await problemOf(read())).toContain("received a symlink to one outside");
  });

  test("of 100 MB is rejected", async () => {
    truncateSync(folders.writeProject("version: 1"), 100_000_000);
    expect(await problemOf(folders.load())).toContain("expected at most 262144 bytes, received 100000000");
  });
});
