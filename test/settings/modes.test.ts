import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readModes, SettingsError } from "../../settings/index.ts";
import { createModes } from "../../tools/index.ts";

const root = mkdtempSync(path.join(tmpdir(), "settings-modes-"));
afterAll(() => rmSync(root, { recursive: true }));

interface Files {
  readonly own?: string;
  readonly roo?: string;
}

/** A workspace with these files. */
function workspaceWith({ own, roo }: Files): string {
  const workspace = mkdtempSync(path.join(root, "work-"));
  mkdirSync(path.join(workspace, ".signalbox"));
  if (own !== undefined) writeFileSync(path.join(workspace, ".signalbox/modes.yaml"), own);
  if (roo !== undefined) writeFileSync(path.join(workspace, ".roomodes"), roo);
  return workspace;
}

const read = (files: Files) => readModes(workspaceWith(files));

/** The code and the problems, with paths relative to the workspace. */
async function problems(files: Files): Promise<readonly string[]> {
  const workspace = workspaceWith(files);
  const error: unknown = await readModes(workspace).catch((cause: unknown) => cause);
  if (!(error instanceof SettingsError))
    throw new Error(`Expected a SettingsError, received ${String(error)}.`);
  return [error.code, ...error.message.replaceAll(`${workspace}/`, "").split("\n")];
}

const OWN = `version: 1
modes:
  - slug: docs
    name: Documentation
    role: |
      You write documentation.
    whenToUse: Write guides.
    groups:
      - read
      - edit: { files: "\\\\.md$", description: Markdown files only }
      - command
      - mcp
    instructions: Be brief.
`;

const DOCS = {
  slug: "docs",
  name: "Documentation",
  role: "You write documentation.",
  whenToUse: "Write guides.",
  permissions: [
    { group: "read" },
    { group: "edit", files: { pattern: "\\.md$", description: "Markdown files only" } },
    { group: "command" },
    { group: "mcp" },
  ],
  instructions: "Be brief.",
  origin: ".signalbox/modes.yaml",
};

const ROO = {
  customModes: [
    {
      slug: "test-writer",
      name: "Test writer",
      roleDefinition: "You write tests.\n",
      description: "Tests",
      groups: [
        "read",
        ["edit", { fileRegex: "\\.test\\.ts$", description: "tests" }],
        "browser",
        "modes",
        ["command", { description: "any" }],
        "mcp",
      ],
      customInstructions: "",
      source: "project",
      rulesFiles: [],
    },
  ],
};

const TEST_WRITER = {
  slug: "test-writer",
  name: "Test writer",
  role: "You write tests.",
  whenToUse: "Tests",
  permissions: [
    { group: "read" },
    { group: "edit", files: { pattern: "\\.test\\.ts$", description: "tests" } },
    { group: "fetch" },
    { group: "command" },
    { group: "mcp" },
  ],
  origin: ".roomodes",
};

const ownMode = (groups: string, slug = "a"): string =>
  `version: 1\nmodes:\n  - slug: ${slug}\n    name: A\n    role: You work.\n    groups: ${groups}\n`;
const rooMode = (fields: string): string =>
  `customModes:\n  - slug: a\n    name: A\n    roleDefinition: You work.\n    ${fields}\n`;

describe("readModes", () => {
  test("has no modes without files, and none of empty lists", async () => {
    expect(await read({})).toEqual([]);
    expect(await read({ own: "version: 1\nmodes: []\n", roo: "" })).toEqual([]);
    expect(await read({ roo: "customModes:\n" })).toEqual([]);
  });

  test("reads .signalbox/modes.yaml", async () => {
    expect(await read({ own: OWN })).toEqual([DOCS]);
  });

  test("reads .roomodes, as JSON and as YAML, and ignores other keys and groups without tools", async () => {
    expect(await read({ roo: JSON.stringify(ROO, undefined, "\t") })).toEqual([TEST_WRITER]);
    const yaml = `whenToUse: Test it.\n    customInstructions: |\n      Be brief.\n    groups:\n      - read\n      - - edit\n        - fileRegex: ^a\n`;
    expect(await read({ roo: rooMode(yaml) })).toEqual([
      {
        slug: "a",
        name: "A",
        role: "You work.",
        whenToUse: "Test it.",
        permissions: [{ group: "read" }, { group: "edit", files: { pattern: "^a" } }],
        instructions: "Be brief.",
        origin: ".roomodes",
      },
    ]);
  });

  test("a group edit of .roomodes without fileRegex permits all files, as in Roo Code", async () => {
    const modes = await read({ roo: rooMode("groups: [[edit, { description: All }]]") });
    expect(modes).toMatchObject([{ permissions: [{ group: "edit" }] }]);
    expect(modes[0]?.permissions[0]).not.toHaveProperty("files");
  });

  test(".signalbox/modes.yaml precedes .roomodes", async () => {
    const roo = JSON.stringify({
      customModes: [{ ...ROO.customModes[0], slug: "docs" }, ...ROO.customModes],
    });
    expect(await read({ own: OWN, roo })).toEqual([DOCS, TEST_WRITER]);
  });

  test("a mode of a file replaces the built-in one of the same slug", async () => {
    const modes = createModes(await read({ own: ownMode("[]", "code") }));
    expect(modes.find("code")).toMatchObject({ name: "A", permissions: [] });
  });

  test("names the line of each problem of .signalbox/modes.yaml", async () => {
    const own = `version: 2
modes:
  - slug: two words
    name: ""
    groups:
      - reed
      - edit: { files: "[", max: 1 }
      - edit: {}
      - read: yes
    extra: 1
`;
    const text = "expected 'edit' with 'files' and 'description'. Correct it.";
    expect(await problems({ own })).toEqual([
      "SETTINGS_INVALID",
      ".signalbox/modes.yaml:1:1: version: expected 1, received 2. Correct it.",
      ".signalbox/modes.yaml:3:5: modes.0.slug: expected a slug of 1 to 64 letters, digits, '_' and '-', with a letter or digit first. Rename it.",
      ".signalbox/modes.yaml:4:5: modes.0.name: expected at least 1 characters, received a text of 0 characters. Correct it.",
      ".signalbox/modes.yaml:3:5: modes.0.role: expected a text, received nothing. Add it.",
      ".signalbox/modes.yaml:6:9: modes.0.groups.0: expected read, edit, command, fetch or mcp, received reed. Correct it.",
      '.signalbox/modes.yaml:7:17: modes.0.groups.1.edit.files: expected a regular expression of RE2, which has no lookaround and no backreferences, received "[" (missing closing ]). Correct it.',
      `.signalbox/modes.yaml:7:29: modes.0.groups.1.edit.max: ${text}`,
      ".signalbox/modes.yaml:8:9: modes.0.groups.2.edit.files: expected a text, received nothing. Add it.",
      ".signalbox/modes.yaml:9:9: modes.0.groups.3.edit: expected an object, received nothing. Add it.",
      `.signalbox/modes.yaml:9:9: modes.0.groups.3.read: ${text}`,
      "and 1 more.",
    ]);
    expect(await problems({ own: `${ownMode("[]")}    extra: 1\n` })).toEqual([
      "SETTINGS_INVALID",
      ".signalbox/modes.yaml:7:5: modes.0.extra: expected one of slug, name, role, whenToUse, groups, instructions; this key is unknown. Remove it, or correct its name.",
    ]);
  });

  test("names the line of each problem of .roomodes", async () => {
    expect(
      await problems({ roo: rooMode("groups: [[edit, { fileRegex: '(?=a)' }], [edit], foo, [foo, {}], 5]") }),
    ).toEqual([
      "SETTINGS_INVALID",
      '.roomodes:5:23: customModes.0.groups.0.1.fileRegex: expected a regular expression of RE2, which has no lookaround and no backreferences, received "(?=a)" (invalid or unsupported Perl syntax). Correct it.',
      ".roomodes:5:46: customModes.0.groups.1: expected a list of a group and an object with 'fileRegex' and 'description'. Correct it.",
      ".roomodes:5:54: customModes.0.groups.2: expected read, edit, command, mcp, browser or modes, received foo. Correct it.",
      ".roomodes:5:60: customModes.0.groups.3.0: expected read, edit, command, mcp, browser or modes, received foo. Correct it.",
      ".roomodes:5:70: customModes.0.groups.4: expected read, edit, command, mcp, browser or modes, received 5. Correct it.",
    ]);
  });

  test.each([
    [
      "a slug that occurs twice in .signalbox/modes.yaml",
      { own: `${OWN}${OWN.slice(OWN.indexOf("  - slug"))}` },
      ".signalbox/modes.yaml:14:5: modes.1.slug: expected each slug once in the file",
    ],
    [
      "a slug that occurs twice in .roomodes",
      { roo: `${rooMode("groups: []")}${rooMode("groups: []").split("\n").slice(1).join("\n")}` },
      ".roomodes:6:5: customModes.1.slug: expected each slug once in the file",
    ],
    [
      "a group that occurs twice",
      { own: ownMode("[read, edit, { edit: { files: a } }]") },
      ".signalbox/modes.yaml:6:26: modes.0.groups.2: expected each group once",
    ],
    [
      "a group that occurs twice in .roomodes",
      { roo: rooMode("groups: [read, modes, modes, read]") },
      ".roomodes:5:34: customModes.0.groups.3: expected each group once",
    ],
    [
      "a missing version",
      { own: "modes: []\n" },
      ".signalbox/modes.yaml:1:1: version: expected 1, received nothing",
    ],
    ["text that is not YAML", { roo: "customModes: [" }, ".roomodes:1:"],
  ])("rejects %s", async (_, files, problem) => {
    const [code, first] = await problems(files);
    expect(code).toBe("SETTINGS_INVALID");
    expect(first).toContain(problem);
  });

  test("reports the problems of both files in one error", async () => {
    const found = await problems({ own: "version: 2\nmodes: []\n", roo: "customModes: 5\n" });
    expect(found.map((line) => line.split(":")[0])).toEqual([
      "SETTINGS_INVALID",
      ".signalbox/modes.yaml",
      ".roomodes",
    ]);
  });

  test("the problems of a pattern have no control characters of the file", async () => {
    const [, problem] = await problems({ own: ownMode('[{ edit: { files: "[\\u009b\\e" } }]') });
    expect(problem).toContain('received "[??"');
    expect(problem).not.toMatch(/\p{C}/u);
  });

  test("rejects a file that is a symlink to outside the workspace", async () => {
    const workspace = workspaceWith({});
    const outside = path.join(root, "outside.yaml");
    writeFileSync(outside, OWN);
    symlinkSync(outside, path.join(workspace, ".signalbox/modes.yaml"));
    await expect(readModes(workspace)).rejects.toMatchObject({ code: "SETTINGS_UNREADABLE" });
  });
});
