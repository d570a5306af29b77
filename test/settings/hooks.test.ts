import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { selectHooks } from "../../settings/index.ts";
import { readProjectFiles, trust } from "../../settings/trust.ts";
import { problemOf, type SettingFolders, settingFolders } from "./support.ts";

let folders: SettingFolders;
beforeEach(() => {
  folders = settingFolders();
});
afterEach(() => folders.remove());

const selected = async () => selectHooks(await folders.load(), { withheldEnv: [] });
const trusted = async (): Promise<void> =>
  trust(await readProjectFiles(folders.workspace), folders.configDir);

const hook = (name: string, more = ""): string =>
  `  - { name: ${name}, points: [beforeTool], command: "true"${more} }`;
const file = (...hooks: readonly string[]): string => ["version: 1", "hooks:", ...hooks].join("\n");

describe("The hooks of settings", () => {
  test("have a name, points, a command, and maybe tools and a time limit", async () => {
    folders.writeUser(file(hook("a", ', tools: [edit_file, "mcp(docs/*)"], timeoutMs: 5000'), hook("b")));
    expect(await selected()).toMatchObject([
      { name: "a", beforeTool: expect.any(Function), tools: ["edit_file", "mcp(docs/*)"] },
      { name: "b", beforeTool: expect.any(Function) },
    ]);
  });

  test("run their commands in the workspace, without the keys of profiles", async () => {
    folders.writeUser(
      file(`  - { name: a, points: [onRest], command: 'printf "{\\"context\\": \\"$PWD$MY_MODEL\\"}"' }`),
    );
    const [only] = selectHooks(await folders.load(), { withheldEnv: ["MY_MODEL"] });
    process.env.MY_MODEL = "secret";
    try {
      const decision = await only?.onRest?.(
        { taskId: "t", workspace: folders.workspace, point: "onRest", ask: "resume" },
        { signal: new AbortController().signal },
      );
      expect(decision).toEqual({ context: folders.workspace });
    } finally {
      delete process.env.MY_MODEL;
    }
  });

  test.each([
    [
      "a point",
      `  - { name: a, points: [before], command: x }`,
      "3:25: hooks.0.points.0: expected beforeRequest, ",
    ],
    [
      "a list of points",
      `  - { name: a, points: [], command: x }`,
      "hooks.0.points: expected at least 1 entries",
    ],
    [
      "a command",
      `  - { name: a, points: [onRest] }`,
      "3:5: hooks.0.command: expected a text, received nothing.",
    ],
    ["a name", `  - { name: "", points: [onRest], command: x }`, "3:7: hooks.0.name: expected "],
    [
      "tools",
      hook("a", ", tools: [a b]"),
      "hooks.0.tools.0: expected the name of a tool, or mcp(SERVER/TOOL)",
    ],
    ["a time", hook("a", ", timeoutMs: 0"), "hooks.0.timeoutMs: expected at least 1"],
    ["known keys", hook("a", ", timeout: 5"), "hooks.0.timeout: expected one of name, points, command, "],
  ])("name the line of a problem with %s", async (_, line, message) => {
    folders.writeUser(file(line));
    expect(await problemOf(folders.load())).toContain(message);
  });

  test("have names of their own", async () => {
    folders.writeUser(file(hook("a"), hook("a")));
    expect(await problemOf(folders.load())).toMatch(
      /^SETTINGS_INVALID .*settings\.yaml:4: hooks: expected a unique name, but a hook of .*settings\.yaml:3 is also named 'a'\. Rename one\.$/,
    );
  });

  test("of a project count only while it is trusted, after the user's hooks", async () => {
    folders.writeUser(file(hook("mine")));
    folders.writeProject(file(hook("theirs")));
    expect((await selected()).map(({ name }) => name)).toEqual(["mine"]);
    expect((await folders.load()).ignored).toMatchObject([
      { path: ["hooks"], value: { name: "theirs", command: "true" }, needsTrust: true },
    ]);
    await trusted();
    expect((await selected()).map(({ name }) => name)).toEqual(["mine", "theirs"]);
    folders.writeProject(file(hook("theirs", ", timeoutMs: 1")));
    expect((await selected()).map(({ name }) => name)).toEqual(["mine"]);
  });

  test("of a project never replace the user's hooks", async () => {
    folders.writeUser(file(hook("guard")));
    folders.writeProject(file(hook("guard")));
    expect((await selected()).map(({ name }) => name)).toEqual(["guard"]);
    await trusted();
    expect(await problemOf(folders.load())).toMatch(
      /^SETTINGS_INVALID \.signalbox\/settings\.yaml:3: hooks: .*a hook of .*settings\.yaml:3 is also named 'guard'/,
    );
  });
});
