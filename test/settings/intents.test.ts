import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openIntents, SettingsError } from "../../settings/index.ts";
import { INTENT_LIMITS, readIntents } from "../../settings/intents.ts";

const root = realpathSync(mkdtempSync(path.join(tmpdir(), "settings-intents-")));
afterAll(() => rmSync(root, { recursive: true }));

const FILE = ".orchestration/active_intents.yaml";

/** A workspace with this file of intents. */
function workspaceWith(text?: string): string {
  const workspace = mkdtempSync(path.join(root, "work-"));
  mkdirSync(path.join(workspace, ".orchestration"));
  if (text !== undefined) writeFileSync(path.join(workspace, FILE), text);
  return workspace;
}

/** The code and the problems, with the line and column of each. */
async function problems(text: string): Promise<readonly string[]> {
  const workspace = workspaceWith(text);
  const error: unknown = await readIntents(workspace).catch((cause: unknown) => cause);
  if (!(error instanceof SettingsError))
    throw new Error(`Expected a SettingsError, received ${String(error)}.`);
  return [error.code, ...error.message.replaceAll(`${workspace}/${FILE}:`, "").split("\n")];
}

const INTENTS = `active_intents:
  - id: INT-1
    name: Rate limits
    status: IN_PROGRESS
    owned_scope:
      - src/api/**
      - src/limits.ts
    constraints:
      - Keep the public API.
    acceptance_criteria:
      - "The tests pass."
  - id: INT-2
    name: Old login
    status: DONE
    owned_scope: []
`;

const one = (fields: string): string => `active_intents:\n  - id: A\n${fields}`;
const VALID = "    name: A\n    status: TODO\n    owned_scope: [src]\n";

describe("the intents of a workspace", () => {
  test("are read from .orchestration/active_intents.yaml", async () => {
    expect(await readIntents(workspaceWith(INTENTS))).toEqual([
      {
        id: "INT-1",
        name: "Rate limits",
        status: "IN_PROGRESS",
        ownedScope: ["src/api/**", "src/limits.ts"],
        constraints: ["Keep the public API."],
        acceptanceCriteria: ["The tests pass."],
      },
      {
        id: "INT-2",
        name: "Old login",
        status: "DONE",
        ownedScope: [],
        constraints: [],
        acceptanceCriteria: [],
      },
    ]);
  });

  test("are none without the file or its folder", async () => {
    expect(await readIntents(workspaceWith())).toBeUndefined();
    expect(await openIntents(workspaceWith())).toBeUndefined();
    expect(await readIntents(path.join(root, "nowhere"))).toBeUndefined();
  });

  test("are read again each time, and none are left when the file is removed", async () => {
    const workspace = workspaceWith(INTENTS);
    const read = await openIntents(workspace);
    expect((await read?.())?.map(({ status }) => status)).toEqual(["IN_PROGRESS", "DONE"]);
    writeFileSync(path.join(workspace, FILE), INTENTS.replace("IN_PROGRESS", "DONE"));
    expect((await read?.())?.map(({ status }) => status)).toEqual(["DONE", "DONE"]);
    rmSync(path.join(workspace, FILE));
    expect(await read?.()).toEqual([]);
  });
});

describe("a file of intents is rejected with the line of each problem", () => {
  test.each([
    [
      "an unknown status",
      one(VALID.replace("TODO", "FINISHED")),
      /^4:5: active_intents\.0\.status: expected TODO, IN_PROGRESS, BLOCKED, DONE or CANCELLED, received FINISHED\./,
    ],
    [
      "no scope",
      one("    name: A\n    status: TODO\n"),
      /^2:5: active_intents\.0\.owned_scope: expected a list, received nothing\./,
    ],
    [
      "an unknown key",
      one(`${VALID}    owner: me\n`),
      /^6:5: active_intents\.0\.owner: expected one of id, name, /,
    ],
    [
      "a glob out of the workspace",
      one(VALID.replace("[src]", "['../x']")),
      /^5:19: active_intents\.0\.owned_scope\.0: expected a glob relative to the workspace/,
    ],
    ["a glob that is not one", one(VALID.replace("[src]", "['!src']")), /^5:19: .*expected a glob/],
    [
      "an id of other characters",
      "active_intents:\n  - id: 'a b'\n    name: A\n    status: TODO\n    owned_scope: []\n",
      /^2:5: active_intents\.0\.id: expected an id of 1 to 64 letters/,
    ],
    [
      "an id that occurs twice",
      `${one(VALID)}  - id: A\n${VALID}`,
      /^6:5: active_intents\.1\.id: expected each id once/,
    ],
    ["another list", "intents: []\n", /^1:1: active_intents: expected a list/],
    ["an alias", "active_intents: &a [*a]\n", /^1:17: expected YAML or JSON, but anchors are not supported/],
    ["deep nesting", `active_intents: ${"[".repeat(50)}${"]".repeat(50)}\n`, /nested deeper than 32 levels/],
  ])("%s", async (_, text, expected) => {
    const [code, ...found] = await problems(text);
    expect(code).toBe("SETTINGS_INVALID");
    expect(
      found.some((line) => expected.test(line)),
      found.join("\n"),
    ).toBe(true);
  });
});

describe("a file of intents that is a bomb is rejected at once", () => {
  const levels = "abcdefghi".split("");
  const laughs = levels.map((name, index) => {
    const before = levels[index - 1];
    return `${name}: &${name} [${Array.from({ length: 9 }, () => (before === undefined ? "lol" : `*${before}`))}]`;
  });
  const MAX = 262_000;

  test.each([
    ["of aliases", [...laughs, "active_intents: *i", ""].join("\n")],
    ["of merged keys", `a: &a { id: A }\nactive_intents:\n${"  - { <<: *a }\n".repeat(10_000)}`],
    ["of tags", `active_intents: !!js/function "function () {}"\n`],
    ["of nested lists", `active_intents: ${"[".repeat(MAX)}`],
    ["of nested maps", `active_intents: ${"{ a: ".repeat(MAX / 5)}`],
    ["of nested blocks", `active_intents:\n  ${"- ".repeat(MAX / 2)}a\n`],
    ["of nested keys", `active_intents:\n  ${"? ".repeat(MAX / 2)}a\n`],
    ["of intents", `active_intents:\n${"  - {}\n".repeat(MAX / 7)}`],
    ["of keys", `active_intents: {${Array.from({ length: 20_000 }, (_, index) => `k${index}: 1`).join()}}\n`],
    ["of the same key", `${"active_intents: []\n".repeat(10_000)}`],
    ["of documents", `${"--- {}\n".repeat(MAX / 7)}`],
    ["of globs with wildcards", one(VALID.replace("[src]", `["${"**/".repeat(10_000)}a"]`))],
    ["of globs with choices", one(VALID.replace("[src]", `["${"{a,b}".repeat(300)}"]`))],
    ["of one text", one(VALID.replace("name: A", `name: ${"A".repeat(MAX)}`))],
  ])("%s", async (_, text) => {
    expect(text.length).toBeLessThan(INTENT_LIMITS.bytes);
    const [code, ...found] = await problems(text);
    expect(code).toBe("SETTINGS_INVALID");
    expect(found.join("\n").length).toBeLessThan(100_000);
  });
});

describe("limits", () => {
  test("of the file bound its bytes, lists and texts", async () => {
    const many = `active_intents:\n${Array.from({ length: 3 }, (_, at) => one(VALID).split("\n").slice(1).join("\n").replace("id: A", `id: A${at}`)).join("")}`;
    const workspace = workspaceWith(many);
    expect(await readIntents(workspace)).toHaveLength(3);
    for (const limits of [{ intents: 2 }, { entries: 0 }, { textChars: 0 }])
      await expect(readIntents(workspace, limits)).rejects.toMatchObject({ code: "SETTINGS_INVALID" });
    await expect(readIntents(workspace, { bytes: 10 })).rejects.toMatchObject({
      code: "SETTINGS_UNREADABLE",
    });
    expect(INTENT_LIMITS).toEqual({ bytes: 262_144, intents: 100, entries: 100, textChars: 2_000 });
  });

  test("a symlink to a file outside of the workspace is not a file of intents", async () => {
    const workspace = workspaceWith();
    const outside = path.join(root, "outside.yaml");
    writeFileSync(outside, INTENTS);
    symlinkSync(outside, path.join(workspace, FILE));
    await expect(readIntents(workspace)).rejects.toMatchObject({ code: "SETTINGS_UNREADABLE" });
  });
});
