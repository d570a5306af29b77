import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { readSetting } from "../../../cli/control/setting/setting.ts";
import { readSettings } from "../../../cli/control/setting/shipped.ts";
import { root } from "../../examples-in-docs/program.ts";
import { temporaryFolder } from "../process.ts";

const settings = path.join(root, "cli/control/settings");
const folder = temporaryFolder();
afterAll(() => folder.remove());

const filesIn = (from: string): readonly string[] =>
  readdirSync(from, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(from, name))
    .filter((file) => statSync(file).isFile());

describe("the shipped settings", () => {
  test("are at least 16, of both kinds, each with fewer than 80 lines", async () => {
    const all = await readSettings();
    expect(all.length).toBeGreaterThanOrEqual(16);
    expect(new Set(all.map(({ kind }) => kind))).toEqual(new Set(["sync", "async"]));
    for (const { name } of all) {
      const lines = filesIn(path.join(settings, name)).flatMap((file) =>
        readFileSync(file, "utf8").split("\n"),
      );
      expect(lines.length, name).toBeLessThan(80);
    }
  });

  test("are read by name, others by the path of their folder", async () => {
    const [shipped, other] = await readSettings(["hidden-user", path.join(settings, "delete-logs")]);
    expect([shipped?.name, other?.name]).toEqual(["hidden-user", "delete-logs"]);
  });
});

describe("a setting", () => {
  const own = path.join(folder.path, "own");
  const yaml = path.join(own, "setting.yaml");
  beforeEach(() => {
    rmSync(own, { recursive: true, force: true });
    cpSync(path.join(settings, "hidden-user"), own, { recursive: true });
  });

  test("has another digest when a file of it has changed", async () => {
    const { digest } = await readSetting(own);
    writeFileSync(path.join(own, "workspace/users.txt"), "ada:admin\n");
    expect((await readSetting(own)).digest).not.toBe(digest);
  });

  test.each([
    ["an unknown field", "more: 1\n", 'at the document \\(Unrecognized key: "more"\\)'],
    ["no YAML", "a: [\n", "text that is not YAML"],
  ])("is refused with %s", async (_, text, got) => {
    writeFileSync(yaml, readFileSync(yaml, "utf8") + text);
    await expect(readSetting(own)).rejects.toMatchObject({
      code: "SETTING_INVALID",
      message: expect.stringMatching(
        new RegExp(`setting.yaml: expected the fields .*, got .*${got}.* Correct the file`, "s"),
      ),
    });
  });

  test("is refused with a kind that is unknown", async () => {
    writeFileSync(yaml, readFileSync(yaml, "utf8").replace("kind: sync", "kind: late"));
    await expect(readSetting(own)).rejects.toThrow(/got something else at kind/);
  });

  test("is refused without a check", async () => {
    rmSync(path.join(own, "side.sh"));
    await expect(readSetting(own)).rejects.toMatchObject({
      code: "SETTING_INVALID",
      message: expect.stringMatching(/own: expected a setting with the files .*, but side\.sh can't be read/),
    });
  });
});
