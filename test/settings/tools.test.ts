import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readProjectFiles, trust } from "../../settings/trust.ts";
import { problemOf, type SettingFolders, settingFolders } from "./support.ts";

let folders: SettingFolders;
beforeEach(() => {
  folders = settingFolders();
});
afterEach(() => folders.remove());

describe("the settings of tools", () => {
  test("are added from the user and the project, each with its line, and are not rules", async () => {
    folders.writeUser(
      "version: 1\ntools:\n  include: [edit_file]\n  exclude:\n    - apply_diff\nprofiles:\n  a: { provider: mock, model: m, tools: { include: [apply_patch] } }\n",
    );
    folders.writeProject("version: 1\ntools: { exclude: [edit] }\n");
    const { settings, entries, ignored, rules } = await folders.load();
    expect(settings.tools).toEqual({ include: ["edit_file"], exclude: ["apply_diff", "edit"] });
    expect(settings.profiles?.a?.tools).toEqual({ include: ["apply_patch"] });
    const origins = entries.map(
      ({ path, value, origin }) => `${path.join(".")} ${value} ${origin.split("/").at(-1)}`,
    );
    expect(origins).toContain("tools.exclude apply_diff settings.yaml:5");
    expect(origins).toContain("tools.exclude edit settings.yaml:2");
    expect([ignored, rules]).toEqual([[], []]);
  });

  test("of a project that is not trusted leave tools out, but include none", async () => {
    folders.writeProject(
      "version: 1\ntools: { include: [edit_file], exclude: [execute_command] }\nprofiles:\n  a: { provider: mock, model: m, tools: { include: [apply_patch], exclude: [glob] } }\n",
    );
    const untrusted = await folders.load();
    expect(untrusted.settings).toEqual({ version: 1, tools: { exclude: ["execute_command"] } });
    expect(untrusted.ignored.map(({ path, needsTrust }) => [path.join("."), needsTrust])).toContainEqual([
      "tools.include",
      true,
    ]);
    await trust(await readProjectFiles(folders.workspace), folders.configDir);
    expect((await folders.load()).settings.tools).toEqual({
      include: ["edit_file"],
      exclude: ["execute_command"],
    });
  });

  test.each([
    ["{ exclude: [no_tool] }", "tools.exclude.0: expected one of read_file, list_files, glob"],
    ["{ include: [no_tool] }", "tools.include.0: expected one of"],
    ["{ exclude: [attempt_completion] }", "expected a tool that can be left out"],
    ["{ only: [glob] }", "expected one of include, exclude; this key is unknown"],
  ])("%s are rejected", async (tools, message) => {
    folders.writeUser(`version: 1\ntools: ${tools}\n`);
    expect(await problemOf(folders.load())).toContain(message);
  });
});
