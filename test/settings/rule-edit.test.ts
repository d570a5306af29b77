import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { addRule, removeRule } from "../../settings/rule-edit.ts";
import { problemOf, type SettingFolders, settingFolders } from "./support.ts";

let folders: SettingFolders;
let file: string;
const all: SettingFolders[] = [];
beforeEach(() => {
  folders = settingFolders();
  file = path.join(folders.workspace, ".signalbox/settings.yaml");
  all.push(folders);
});
afterAll(() => {
  for (const each of all) each.remove();
});
const content = (): string => readFileSync(file, "utf8");

const COMMENTED = `# of the team
version: 1
permissions:
  # what runs without a question
  allow:
    - edit(src/**) # sources
    - command(npm test)
  deny: [edit(.env)] # secret
# in dollars
limits: {cost: 5}
`;

describe("adding a rule to a settings file", () => {
  test("keeps its comments, its order and its style", async () => {
    folders.writeProject(COMMENTED);
    await addRule(file, "allow", "command(npm run *)");
    await addRule(file, "deny", "read(.env)");
    expect(content()).toBe(
      COMMENTED.replace("(npm test)\n", "(npm test)\n    - command(npm run *)\n").replace(
        "(.env)]",
        "(.env), read(.env)]",
      ),
    );
  });

  test("creates what is missing: the list, the permissions, the file, its folder", async () => {
    folders.writeProject(COMMENTED);
    await addRule(file, "ask", "edit(a)");
    expect(content()).toContain("  ask:\n    - edit(a)\n");
    folders.writeProject("version: 1\nshell: /bin/sh # mine\n");
    await addRule(file, "allow", "edit(a)");
    expect(content()).toBe("version: 1\nshell: /bin/sh # mine\npermissions:\n  allow:\n    - edit(a)\n");
    rmSync(path.dirname(file), { recursive: true });
    const { before, after } = await addRule(file, "allow", "edit(a)");
    expect(content()).toBe("version: 1\npermissions:\n  allow:\n    - edit(a)\n");
    expect([before, after]).toEqual([undefined, content()]);
  });

  test("keeps line breaks and the mode of the file", async () => {
    folders.writeProject("version: 1\r\n# why\r\npermissions:\r\n  allow: []\r\n");
    chmodSync(file, 0o644);
    await addRule(file, "allow", "edit(a)");
    expect(content()).toBe("version: 1\r\n# why\r\npermissions:\r\n  allow: [edit(a)]\r\n");
    expect(statSync(file).mode & 0o777).toBe(0o644);
  });

  test("leaves JSON as JSON", async () => {
    folders.writeProject('{ "version": 1, "permissions": { "allow": ["edit(a)"] } }');
    await addRule(file, "allow", "edit(b)");
    await addRule(file, "deny", "edit(c)");
    expect(JSON.parse(content())).toEqual({
      version: 1,
      permissions: { allow: ["edit(a)", "edit(b)"], deny: ["edit(c)"] },
    });
  });

  test.each(["command(echo '#a: b')", 'command(echo "x")', "edit(a, b)", "edit(- x: y)", "command(a\tb)"])(
    "quotes what has another meaning in YAML: %s",
    async (rule) => {
      folders.writeProject("version: 1\npermissions: {allow: [read(a)]}\n");
      await addRule(file, "allow", rule);
      await addRule(file, "deny", rule);
      const { settings } = await folders.load();
      expect(settings.permissions?.deny).toEqual([rule]);
      await removeRule(file, "deny", rule);
      await removeRule(file, "allow", rule);
      expect((await folders.load()).settings.permissions).toBeUndefined();
    },
  );

  test("does not write a rule that the file has", async () => {
    folders.writeProject(COMMENTED);
    const { before, after } = await addRule(file, "allow", " command(npm test) ");
    expect(after).toBe(before);
    expect(content()).toBe(COMMENTED);
  });

  test("rejects a rule that is not valid, and leaves the file untouched", async () => {
    folders.writeProject(COMMENTED);
    expect(await problemOf(addRule(file, "allow", "run(x)"))).toMatch(
      /^SETTINGS_INVALID .*permissions\.allow.*expected one of read\(GLOB\)/,
    );
    expect(content()).toBe(COMMENTED);
    rmSync(file);
    expect(await problemOf(addRule(file, "allow", "run(x)"))).toMatch(/^SETTINGS_INVALID /);
    expect(existsSync(file)).toBe(false);
  });

  test.each(["version: 1\npermissions: [", "version: 2\n", "", "version: 1\npermissions: {allow: &a [x]}\n"])(
    "rejects a file that is not valid, and leaves it untouched: %j",
    async (text) => {
      folders.writeProject(text);
      expect(await problemOf(addRule(file, "allow", "edit(a)"))).toMatch(
        /^SETTINGS_INVALID .*settings\.yaml:/,
      );
      expect(await problemOf(removeRule(file, "allow", "edit(a)"))).toMatch(
        text === "" ? /^no SettingsError/ : /^SETTINGS_INVALID /,
      );
      expect(content()).toBe(text);
    },
  );

  test("rejects a symlink, and leaves what it leads to untouched", async () => {
    const other = folders.writeUser("version: 1\n", "other.yaml");
    symlinkSync(other, file);
    expect(await problemOf(addRule(file, "allow", "edit(a)"))).toMatch(/^SETTINGS_UNREADABLE .*symlink/);
    rmSync(path.dirname(file), { recursive: true });
    symlinkSync(path.dirname(other), path.dirname(file));
    expect(await problemOf(addRule(file, "allow", "edit(a)"))).toMatch(/^SETTINGS_UNREADABLE .*symlink/);
    expect(readFileSync(other, "utf8")).toBe("version: 1\n");
    expect(readdirSync(path.dirname(other))).toEqual(["other.yaml"]);
  });
});

describe("removing a rule from a settings file", () => {
  test("keeps its comments and its order, and removes it from its level alone", async () => {
    folders.writeProject(COMMENTED.replace("[edit(.env)]", "[edit(.env), command(npm test)]"));
    await removeRule(file, "allow", "command(npm test)");
    expect(content()).toBe(
      COMMENTED.replace("    - command(npm test)\n", "").replace(
        "[edit(.env)]",
        "[edit(.env), command(npm test)]",
      ),
    );
  });

  test("removes every copy of it", async () => {
    folders.writeProject("version: 1\npermissions:\n  allow: [edit(a), edit(b), ' edit(a) ']\n");
    await removeRule(file, "allow", "edit(a)");
    expect(content()).toBe("version: 1\npermissions:\n  allow: [edit(b)]\n");
  });

  test("writes nothing where there is none", async () => {
    folders.writeProject(COMMENTED);
    expect(await removeRule(file, "allow", "edit(x)")).toEqual({ before: COMMENTED, after: COMMENTED });
    rmSync(file);
    expect(await removeRule(file, "allow", "edit(x)")).toEqual({ before: undefined, after: undefined });
    expect(existsSync(file)).toBe(false);
  });
});
