import { describe, expect, test } from "vitest";
import { MODE_SLUG } from "../../../machines/task/mode.ts";
import { BUILTIN_MODES, createModes, type Mode } from "../../../tools/index.ts";

const mode = (fields: Partial<Mode> = {}): Mode => ({
  slug: "review",
  name: "Review",
  role: "You review.",
  permissions: [{ group: "read" }],
  ...fields,
});

describe("BUILTIN_MODES", () => {
  test("permit the groups of their kind of work; architect edits only Markdown files", () => {
    const groups = Object.fromEntries(
      BUILTIN_MODES.map(({ slug, permissions }) => [slug, permissions.map(({ group }) => group)]),
    );
    expect(groups).toEqual({
      architect: ["read", "edit", "fetch", "mcp"],
      code: ["read", "edit", "command", "fetch", "mcp"],
      ask: ["read", "fetch", "mcp"],
      debug: ["read", "edit", "command", "fetch", "mcp"],
      orchestrator: [],
    });
    const patterns = BUILTIN_MODES.flatMap(({ permissions }) => permissions).flatMap((permission) =>
      permission.group === "edit" && permission.files !== undefined ? permission.files.pattern : [],
    );
    expect(patterns).toEqual(["\\.md$"]);
  });

  test("each have a slug, a role and a hint when to use them, and no origin", () => {
    for (const { slug, role, whenToUse, origin } of BUILTIN_MODES) {
      expect(slug).toMatch(MODE_SLUG);
      expect(role).toMatch(/^You are /);
      expect(whenToUse).toMatch(/\.$/);
      expect(origin).toBeUndefined();
    }
  });
});

describe("createModes", () => {
  test("has the built-in modes, then the custom ones", () => {
    expect(createModes().list).toEqual(BUILTIN_MODES);
    const modes = createModes([mode()]);
    expect(modes.list.map(({ slug }) => slug)).toEqual([...BUILTIN_MODES.map(({ slug }) => slug), "review"]);
    expect(modes.find("review")).toEqual(mode());
    expect(modes.find("absent")).toBeUndefined();
    expect(modes.find("constructor")).toBeUndefined();
  });

  test("replaces a built-in mode by a custom one of the same slug, in its place", () => {
    const own = mode({ slug: "code" });
    const { list, find } = createModes([own]);
    expect(list.map(({ slug }) => slug)).toEqual(BUILTIN_MODES.map(({ slug }) => slug));
    expect(find("code")).toBe(own);
  });

  const edit = (pattern: string): Mode => mode({ permissions: [{ group: "edit", files: { pattern } }] });

  test.each([
    ["a repeated slug", [mode(), mode()], "MODE_INVALID", 'Two modes have the slug "review"'],
    ["an invalid slug", [mode({ slug: "two words" })], "MODE_INVALID", 'received "two words"'],
    [
      "a repeated group",
      [mode({ permissions: [{ group: "read" }, { group: "read" }] })],
      "MODE_INVALID",
      "permits the group read twice",
    ],
    ["a pattern that is no regular expression", [edit("[")], "PATTERN_INVALID", 'received "["'],
    ["a pattern with lookaround", [edit("^(?!a)")], "PATTERN_INVALID", "no lookaround and no backreferences"],
    [
      "a pattern with a backreference",
      [edit("(a)\\1")],
      "PATTERN_INVALID",
      "no lookaround and no backreferences",
    ],
    [
      "a pattern whose program is too large",
      [edit("((x{1000}){1000}){1000}")],
      "PATTERN_INVALID",
      "repeat count",
    ],
    ["a pattern that is too long", [edit("x".repeat(1_001))], "PATTERN_INVALID", "at most 1000 characters"],
  ])("rejects %s", (_, custom, code, message) => {
    expect(() => createModes(custom)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
  });
});
