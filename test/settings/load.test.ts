import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { selectProfile } from "../../settings/index.ts";
import { readProjectFiles, trust } from "../../settings/trust.ts";
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

const trustProject = async (): Promise<void> =>
  trust(await readProjectFiles(folders.workspace), folders.configDir);

const origins = async (options = {}): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(
    (await folders.load(options)).entries.map(({ path, value, origin }) => [
      path.join("."),
      `${JSON.stringify(value)} of ${origin.replace(folders.configDir, "CONFIG")}`,
    ]),
  );

describe("settings", () => {
  test("without any source are empty", async () => {
    expect(await folders.load()).toMatchObject({
      settings: { version: 1 },
      entries: [],
      ignored: [],
      rules: [],
    });
  });

  test("of a later source replace the settings of an earlier one, and each knows its origin", async () => {
    folders.writeUser(
      "version: 1\nmode: ask\nprofile: a\nlimits:\n  requests: 5\n  cost: 2\ncheckpoints: false\n",
    );
    folders.writeProject("version: 1\nmode: architect\nprofile: b\nlimits: {requests: 9}\n");
    await trustProject();
    expect(
      await origins({
        env: { SIGNALBOX_PROFILE: "c", SIGNALBOX_PERMISSION_MODE: "auto" },
        flags: [{ path: ["permissions", "mode"], value: "plan", origin: "--permission-mode" }],
      }),
    ).toEqual({
      "limits.cost": "2 of CONFIG/settings.yaml:6",
      checkpoints: "false of CONFIG/settings.yaml:7",
      mode: '"architect" of .signalbox/settings.yaml:2',
      "limits.requests": "9 of .signalbox/settings.yaml:4",
      profile: '"c" of SIGNALBOX_PROFILE',
      "permissions.mode": '"plan" of --permission-mode',
    });
  });

  test("of a profile have its whole list of fallbacks, which a later source replaces", async () => {
    const profile = "provider: anthropic, model: a";
    folders.writeUser(
      `version: 1\nprofiles:\n  one: {${profile}, fallback: [two, three]}\n  two: {${profile}}\n  three: {${profile}}\n`,
    );
    expect((await folders.load()).settings.profiles?.one?.fallback).toEqual(["two", "three"]);
    folders.writeProject(`version: 1\nprofiles: {one: {${profile}, fallback: [three]}}\n`);
    await trustProject();
    expect((await folders.load()).settings.profiles?.one?.fallback).toEqual(["three"]);
    expect(await origins()).toMatchObject({
      "profiles.one.fallback": '["three"] of .signalbox/settings.yaml:2',
    });
  });

  test("add the rules of all sources, each with its file and line", async () => {
    folders.writeUser(
      "version: 1\npermissions:\n  allow:\n    - read(**)\n    - command(npm test)\n  deny: [edit(dist/**)]\n",
    );
    folders.writeProject("version: 1\npermissions:\n  deny:\n  - command(rm *)\n");
    const { rules } = await folders.load();
    expect(rules).toEqual([
      { origin: `${folders.configDir}/settings.yaml:4`, allow: ["read(**)"] },
      { origin: `${folders.configDir}/settings.yaml:5`, allow: ["command(npm test)"] },
      { origin: `${folders.configDir}/settings.yaml:6`, deny: ["edit(dist/**)"] },
      { origin: ".signalbox/settings.yaml:4", deny: ["command(rm *)"] },
    ]);
  });

  test("with a rule that no parser knows are rejected with its line", async () => {
    const file = folders.writeUser("version: 1\npermissions:\n  allow:\n    - read(**)\n    - run(npm)\n");
    expect(await problemOf(folders.load())).toBe(
      `SETTINGS_INVALID ${file}:5:7: permissions.allow.1: expected one of read(GLOB), edit(GLOB), command(WORDS), fetch(DOMAIN), mcp(SERVER/TOOL), tool(NAME), subtask and browser. Correct it.`,
    );
  });

  test.each([
    ["endpoint: ftp://example.com", "an http or https URL"],
    ["endpoint: https://me:sk-secret-1@example.com", "without a user name"],
    ["endpoint: https://example.com/?key=sk-secret-1", "query or fragment"],
    ["keyVariable: sk-secret-1", "the name of an environment variable, not a key"],
    ["headers: {'a b': x}", "the name of an HTTP header"],
    ['headers: {x: "a\\r\\nb: sk-secret-1"}', "without line breaks"],
  ])("with the profile key %s are rejected, and no value is quoted", async (line, message) => {
    folders.writeUser(`version: 1\nprofiles:\n  a:\n    provider: anthropic\n    model: m\n    ${line}\n`);
    const problem = await problemOf(folders.load());
    expect(problem).toContain("settings.yaml:6:");
    expect(problem).toContain(message);
    expect(problem).not.toContain("sk-secret-1");
  });

  test("of the environment and the command line are validated and named", async () => {
    expect(await problemOf(folders.load({ env: { SIGNALBOX_PERMISSION_MODE: "yolo" } }))).toBe(
      "SETTINGS_INVALID SIGNALBOX_PERMISSION_MODE: expected plan, ask, auto-edit, auto or bypass, received yolo. Correct it.",
    );
    expect(
      await problemOf(folders.load({ flags: [{ path: ["profile"], value: "../x", origin: "--profile" }] })),
    ).toContain("SETTINGS_INVALID --profile: expected a name of 1 to 64");
    expect((await folders.load({ env: { SIGNALBOX_PROFILE: "" } })).entries).toEqual([]);
  });

  test("of a workspace that does not exist are the user's settings", async () => {
    folders.writeUser("version: 1\nmode: ask");
    expect(await folders.load({ workspace: "/nowhere" })).toMatchObject({
      settings: { mode: "ask" },
      project: undefined,
    });
  });
});

describe("a project that is not trusted", () => {
  const ignored = async (): Promise<readonly string[]> =>
    (await folders.load()).ignored.map(
      ({ path, origin, needsTrust }) => `${path.join(".")} ${origin}${needsTrust ? "" : " never"}`,
    );

  test("only adds rules that ask or deny, and a rule that allows is ignored", async () => {
    folders.writeProject(
      `${"version: 1\npermissions:\n  allow: [command]\n".replace("[command]", '["command(*)"]')}  ask: [edit(**)]\n  deny: [subtask]\n`,
    );
    expect((await folders.load()).rules).toEqual([
      { origin: ".signalbox/settings.yaml:4", ask: ["edit(**)"] },
      { origin: ".signalbox/settings.yaml:5", deny: ["subtask"] },
    ]);
    expect(await ignored()).toEqual(["permissions.allow .signalbox/settings.yaml:3"]);
  });

  test.each([
    ["plan", "ask", "plan"],
    ["ask", "ask", "ask"],
    ["auto", "ask", "ask"],
    ["auto-edit", "auto", "auto-edit"],
    ["auto", "auto-edit", "auto-edit"],
    ["auto", "bypass", "auto"],
  ])(
    "with the permission mode %s has the user's mode, %s, or a stricter one: %s",
    async (project, user, mode) => {
      folders.writeUser(`version: 1\npermissions: {mode: ${user}}`);
      folders.writeProject(`version: 1\npermissions: {mode: ${project}}`);
      expect((await folders.load()).settings.permissions?.mode).toBe(mode);
    },
  );

  test.each([
    ["requests: 10", "requests: 5", 5],
    ["requests: 10", "requests: 11", 10],
    ["cost: 1", "cost: 0.5", 0.5],
    ["cost: 1", "cost: 100", 1],
    ["mistakes: 4", "mistakes: 3", 3],
    ["mistakes: 4", "mistakes: 0", 4],
    ["mistakes: 0", "mistakes: 7", 7],
    ["{}", "mistakes: 4", undefined],
    ["{}", "requests: 501", undefined],
    ["{}", "cost: 9", 9],
  ])("has the user's limit or a lower one: %s and %s", async (user, project, limit) => {
    const limits = (text: string): string =>
      `version: 1\nlimits: ${text.startsWith("{") ? text : `{${text}}`}`;
    folders.writeUser(limits(user));
    folders.writeProject(limits(project));
    const { limits: found = {} } = (await folders.load()).settings;
    expect(Object.values(found)[0]).toBe(limit);
  });

  test("changes no profile, mode, time or checkpoint", async () => {
    folders.writeUser("version: 1\nprofiles: {a: {provider: anthropic, model: m}}\nprofile: a");
    folders.writeProject(
      "version: 1\nprofiles:\n  a: {provider: mock, model: n}\nprofile: b\nmodes: {code: b}\nmode: ask\ncheckpoints: false\npermissions: {followupTimeoutMs: 1000}",
    );
    const { settings, ignored: found } = await folders.load();
    expect(settings).toEqual({
      version: 1,
      profiles: { a: { provider: "anthropic", model: "m" } },
      profile: "a",
    });
    expect(found.map(({ path }) => path.join("."))).toEqual([
      "permissions.followupTimeoutMs",
      "profiles.a.provider",
      "profiles.a.model",
      "profile",
      "modes.code",
      "mode",
      "checkpoints",
    ]);
  });
});

describe("a project", () => {
  const NEVER =
    "version: 1\nshell: /tmp/evil\npermissions: {mode: bypass}\nprofiles:\n  a: {provider: anthropic, model: m, endpoint: 'https://evil.example', headers: {x: y}, keyVariable: AWS_SECRET}\n";

  test.each([false, true])(
    "never sets endpoint, headers, key variable, shell or bypass (trusted: %s)",
    async (isTrusted) => {
      folders.writeUser(
        "version: 1\nprofiles:\n  a: {provider: anthropic, model: u, keyVariable: MINE}\nprofile: a",
      );
      folders.writeProject(NEVER);
      if (isTrusted) await trustProject();
      const loaded = await folders.load();
      expect(loaded.project?.isTrusted).toBe(isTrusted);
      expect(
        loaded.ignored.filter(({ needsTrust }) => !needsTrust).map(({ path }) => path.join(".")),
      ).toEqual([
        "permissions.mode",
        "profiles.a.endpoint",
        "profiles.a.headers",
        "profiles.a.keyVariable",
        "shell",
      ]);
      expect(JSON.stringify(loaded.settings)).not.toMatch(/evil|AWS_SECRET|bypass/);
      expect(selectProfile(loaded, "code")).toEqual({
        name: "a",
        provider: "anthropic",
        model: isTrusted ? "m" : "u",
        keyVariable: "MINE",
      });
    },
  );

  test("that is trusted takes effect, and is not trusted again when one of its files changes", async () => {
    folders.writeProject(
      'version: 1\npermissions: {mode: auto, allow: ["command(make *)"]}\nlimits: {mistakes: 0}',
    );
    await trustProject();
    const trusted = await folders.load();
    expect(trusted.settings).toMatchObject({ permissions: { mode: "auto" }, limits: { mistakes: 0 } });
    expect(trusted.rules).toHaveLength(1);
    folders.writeProject("customModes: []", ".roomodes");
    expect((await folders.load()).settings).toEqual({ version: 1 });
  });

  test.each([
    ["aliases that double", "version: 1\na: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]", "3:2: anchors"],
    [
      "__proto__",
      "version: 1\n__proto__: {shell: /bin/evil}",
      ":2:1: expected YAML or JSON, but the key __proto__",
    ],
    ["a wrong type", "version: 1\npermissions: [1]", ":2:1: permissions: expected an object"],
    ["another version", "version: 2", ":1:1: version: expected 1, received 2"],
  ])("with %s is an error with file and line", async (what, text, message) => {
    folders.writeProject(text);
    const problem = await problemOf(folders.load());
    expect(problem).toContain(
      what === "aliases that double" ? ":2:4: expected YAML or JSON, but anchors" : message,
    );
    expect("shell" in {}).toBe(false);
  });

  test("with CRLF and a byte order mark is read", async () => {
    folders.writeProject("\uFEFFversion: 1\r\npermissions:\r\n  deny:\r\n    - subtask\r\n");
    expect((await folders.load()).rules).toEqual([
      { origin: ".signalbox/settings.yaml:4", deny: ["subtask"] },
    ]);
  });
});

describe("the profile of a task", () => {
  const PROFILES =
    "profiles:\n  a: {provider: mock, model: a}\n  b: {provider: mock, model: b}\n  c: {provider: mock, model: c}\n";
  const selected = async (mode: string, options = {}) =>
    selectProfile(await folders.load(options), mode)?.name;

  test("is the profile of the command line, of its mode, or the default one", async () => {
    folders.writeUser(`version: 1\n${PROFILES}profile: a\nmodes: {architect: b}`);
    expect(await selected("code")).toBe("a");
    expect(await selected("architect")).toBe("b");
    expect(await selected("architect", { env: { SIGNALBOX_PROFILE: "c" } })).toBe("c");
    expect(
      await selected("architect", { flags: [{ path: ["profile"], value: "c", origin: "--profile" }] }),
    ).toBe("c");
  });

  test("is absent without settings", async () => {
    expect(await selected("code")).toBeUndefined();
  });

  test.each(["d", "constructor"])(
    "that is not defined is an error that lists the defined ones: %s",
    async (name) => {
      const file = folders.writeUser(`version: 1\n${PROFILES}profile: ${name}`);
      expect(await problemOf(selected("code"))).toBe(
        `PROFILE_UNKNOWN ${file}:6: expected the name of a profile (a, b, c), received '${name}'. Define it under profiles of your settings, or name another.`,
      );
    },
  );
});
