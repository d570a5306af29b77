import { symlinkSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { selectPolicies } from "../../settings/policies.ts";
import { problemOf, type SettingFolders, settingFolders } from "./support.ts";

let folders: SettingFolders;
beforeEach(() => {
  folders = settingFolders();
});
afterEach(() => folders.remove());

const selected = async () => selectPolicies(await folders.load(), folders.configDir);
const names = async (): Promise<readonly string[]> => (await selected()).map(({ name }) => name);
const setting = (...policies: readonly string[]): string =>
  ["version: 1", "policies:", ...policies.map((policy) => `  - ${policy}`)].join("\n");
const file = (name: string, always = "{ not: { mode: code } }"): string =>
  `version: 1\npolicies:\n  - name: ${name}\n    clauses:\n      - name: c\n        always: ${always}\n`;

describe("The policies of settings", () => {
  test("are shipped ones with their arguments, and policies from files beside the settings", async () => {
    folders.writeUser(file("mine"), "mine.yaml");
    folders.writeUser(
      setting("rule-of-two", "no-write-outside(src/**, docs/**)", "budget(20)", "./mine.yaml"),
    );
    expect(await names()).toEqual(["rule-of-two", "no-write-outside", "budget", "mine"]);
    expect(JSON.stringify(await selected())).toContain('["src/**","docs/**"]');
  });

  test.each([
    ["rule-of-three", "3:5: policies.0: expected a file .yaml, .yml or .json, or one of rule-of-two, "],
    ["no-write-outside(../a)", "3:5: policies.0: expected a glob relative to the workspace"],
    ["budget(many)", "received 'budget(many)'. Correct it."],
    ["[rule-of-two]", "3:5: policies.0: expected a text, received a list of 1 entries."],
  ])("name the line of one that is not valid: %s", async (policy, message) => {
    folders.writeUser(setting(policy));
    expect(await problemOf(folders.load())).toContain(message);
  });

  test("name the line of a file, and the line in it", async () => {
    const bad = folders.writeProject(file("p", "{ evnt: request }"), ".signalbox/bad.yaml");
    folders.writeProject(setting("budget(1)", "bad.yaml"));
    expect(await problemOf(selected())).toBe(
      `SETTINGS_INVALID .signalbox/settings.yaml:4: policies: ${bad}:6:19: policies.0.clauses.0.always.evnt: expected one of not, and, or, implies, previous, once, historically, since, atMost, each, event, tool, effect, path, host, command, argument, outcome, by, verdict, author, score, mode, same, received 'evnt'. Correct it.`,
    );
    folders.writeProject(setting("none.yaml"));
    expect(await problemOf(selected())).toContain(
      "SETTINGS_UNREADABLE .signalbox/settings.yaml:3: policies: ",
    );
  });

  test("that contradict each other are an error, which names the second line", async () => {
    const writesBy = (by: string): string =>
      file(by, `{ implies: [{ event: call.started, effect: writes }, { by: ${by} }] }`);
    folders.writeUser(writesBy("person"), "mine.yaml");
    folders.writeUser(setting("mine.yaml", "rule-of-two"));
    folders.writeProject(writesBy("policy"), ".signalbox/theirs.yaml");
    folders.writeProject(setting("budget(9)", "theirs.yaml"));
    expect(await problemOf(selected())).toBe(
      "SETTINGS_INVALID .signalbox/settings.yaml:4: policies: expected policies that permit a call with the effect writes at some time, but no task ever has one under these together: clause c of policy person; clause c of policy policy. Correct or remove one of them.",
    );
    folders.writeProject(setting("budget(9)"));
    expect(await names()).toEqual(["person", "rule-of-two", "budget"]);
  });

  test("of a project that is not trusted take effect, and none of the user's is replaced", async () => {
    folders.writeUser(setting("budget(3)"));
    folders.writeProject(file("budget"), ".signalbox/theirs.yaml");
    folders.writeProject(setting("budget(9)", "theirs.yaml"));
    expect((await folders.load()).ignored).toEqual([]);
    expect((await folders.load()).project?.isTrusted).toBe(false);
    expect(await names()).toEqual(["budget", "budget", "budget"]);
    expect(JSON.stringify((await selected())[0])).toContain('"count":3');
  });

  test("of a project are in the project, also where symlinks are followed", async () => {
    const outside = folders.writeUser(file("p"), "p.yaml");
    symlinkSync(outside, path.join(folders.workspace, ".signalbox/link.yaml"));
    for (const policy of ["../../config/signalbox/p.yaml", outside, "link.yaml"]) {
      folders.writeProject(setting(policy));
      expect(await problemOf(selected())).toMatch(
        /^SETTINGS_UNREADABLE \.signalbox\/settings\.yaml:3: policies: .*expected a file inside .*\/project, received /,
      );
    }
    folders.writeProject(file("p"), "p.yaml");
    folders.writeProject(setting("../p.yaml"));
    expect(await names()).toEqual(["p"]);
  });
});
