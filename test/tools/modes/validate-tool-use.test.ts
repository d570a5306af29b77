import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { builtinTools, createModes, type Mode, validateToolUse } from "../../../tools/index.ts";
import { MODE_RULES } from "../../../tools/modes/validate-tool-use.ts";
import { createRegistry } from "../../../tools/registry.ts";
import { runs } from "../../support/campaigns.ts";

const registry = createRegistry(builtinTools());
const mode = (slug: string, permissions: Mode["permissions"]): Mode => ({
  slug,
  name: slug,
  role: "You work.",
  permissions,
});
const tests = { group: "edit", files: { pattern: "\\.test\\.ts$", description: "tests" } } as const;
const modes = createModes([mode("tester", [{ group: "read" }, tests])]);

type Arguments = Readonly<Record<string, unknown>>;

const pathAt = (path: string, real = `/w/${path}`) => ({ path, real, inside: true });

function toolNamed(name: string) {
  const tool = registry.find(name);
  if (tool === undefined) throw new Error(`Expected a tool ${name}.`);
  return tool;
}

/** The error of a call with arguments. */
function review(slug: string, name: string, input: Arguments = {}, paths = [pathAt("src/a.ts")]) {
  return validateToolUse({
    modes,
    mode: slug,
    tool: toolNamed(name),
    call: { input, paths, workspace: "/w" },
  });
}

/** The error when the call begins to stream. */
const start = (slug: string, name: string) => validateToolUse({ modes, mode: slug, tool: toolNamed(name) });

/** The violations of each rule: the error, and a use that is permitted. */
const CASES: Readonly<Record<string, () => void>> = {
  "known-mode": () => {
    expect(start("absent", "read_file")).toBe(
      "'absent' is not a known mode, so only tools of the group always can be used, not read_file. Switch to a mode with switch_mode: architect, code, ask, debug, orchestrator, tester.",
    );
    expect(start("absent", "switch_mode")).toBeUndefined();
    expect(start("absent", "attempt_completion")).toBeUndefined();
  },
  group: () => {
    expect(start("ask", "write_to_file")).toBe(
      "The tool write_to_file is of the group edit, which mode 'ask' does not permit. Continue without it, or switch with switch_mode to a mode that permits it: architect (only files that match \\.md$ (Markdown files only)), code, debug, tester (only files that match \\.test\\.ts$ (tests)).",
    );
    expect(start("code", "write_to_file")).toBeUndefined();
    expect(start("orchestrator", "read_file")).toContain("mode 'orchestrator' does not permit");
    expect(start("orchestrator", "new_task")).toBeUndefined();
  },
  "named-files": () => {
    expect(review("architect", "write_to_file", {}, [])).toContain("names no file");
    expect(review("code", "write_to_file", {}, [])).toBeUndefined();
  },
  "file-pattern": () => {
    expect(review("architect", "apply_diff")).toBe(
      "Mode 'architect' permits edits only of files that match \\.md$ (Markdown files only), received 'src/a.ts'. Edit a file that matches. Continue without it, or switch with switch_mode to a mode that permits it: code, debug, tester (only files that match \\.test\\.ts$ (tests)).",
    );
    expect(review("architect", "apply_diff", {}, [pathAt("notes/a.md")])).toBeUndefined();
    expect(review("architect", "read_file")).toBeUndefined();
  },
  "target-mode": () => {
    const all = "architect, code, ask, debug, orchestrator, tester";
    expect(review("code", "new_task", { mode: "absent", message: "Do it." })).toBe(
      `The arguments of new_task name the mode 'absent', which does not exist. Send the call again with one of: ${all}.`,
    );
    expect(review("code", "switch_mode", { mode_slug: "absent" })).toContain(`one of: ${all}.`);
    const suggest = (...slugs: (string | null)[]) => ({
      question: "Which?",
      follow_up: slugs.map((slug) => ({ text: "This.", mode: slug })),
    });
    expect(review("code", "ask_followup_question", suggest("code", null, "absent"))).toContain("'absent'");
    expect(review("code", "ask_followup_question", suggest("code", null, "ask"))).toBeUndefined();
    expect(review("code", "new_task", { mode: "code", message: "Do it." })).toBeUndefined();
  },
  "other-mode": () => {
    expect(review("ask", "switch_mode", { mode_slug: "ask" })).toBe(
      "The task is already in mode 'ask'. Continue without switch_mode.",
    );
    expect(review("ask", "switch_mode", { mode_slug: "code" })).toBeUndefined();
  },
};

describe("validateToolUse", () => {
  test.each(MODE_RULES.map(({ name, requires }) => [name, requires]))("%s: %s", (name) => {
    const violates = CASES[name];
    if (violates === undefined) throw new Error(`Expected a test of the rule ${name}.`);
    violates();
  });

  test("applies only the rules of the start to a call whose arguments stream", () => {
    expect(MODE_RULES.filter(({ at }) => at === "start").map(({ name }) => name)).toEqual([
      "known-mode",
      "group",
    ]);
    expect(start("architect", "write_to_file")).toBeUndefined();
    expect(start("ask", "switch_mode")).toBeUndefined();
  });

  test("permits tools of the group custom in every known mode", () => {
    const tool = { name: "roll_dice", group: "custom" } as const;
    for (const { slug } of modes.list) expect(validateToolUse({ modes, mode: slug, tool })).toBeUndefined();
    expect(validateToolUse({ modes, mode: "absent", tool })).toContain("not a known mode");
  });

  test("requires every path of an edit to match", () => {
    const paths = [pathAt("a.md"), pathAt("b.ts"), pathAt("c.md")];
    expect(review("architect", "write_to_file", {}, paths)).toContain("received 'b.ts'");
  });

  test("also requires the real path to match, so that a symlink can't bypass the pattern", () => {
    expect(review("architect", "write_to_file", {}, [pathAt("a.md", "/w/src/a.ts")])).toContain("'src/a.ts'");
    expect(review("architect", "write_to_file", {}, [pathAt("a.txt", "/w/a.md")])).toContain("'a.txt'");
  });

  test("matches the path relative to the workspace, whatever way the call names it", () => {
    const notes = createModes([
      mode("notes", [{ group: "edit", files: { pattern: "^notes/[a-z]+\\.md$" } }]),
    ]);
    const error = (path: string) =>
      validateToolUse({
        modes: notes,
        mode: "notes",
        tool: toolNamed("write_to_file"),
        call: { input: {}, workspace: "/w", paths: [pathAt(path, "/w/notes/a.md")] },
      });
    for (const path of ["notes/a.md", "./notes/a.md", "/w/notes/a.md", "notes/../notes//a.md"])
      expect(error(path)).toBeUndefined();
    for (const path of ["a.md", "../notes/a.md", "/notes/a.md", "notes/a.md/../../b.ts"])
      expect(error(path)).toContain("permits edits only of files that match ^notes/[a-z]+\\.md$");
  });

  test("a file pattern that makes a backtracking engine hang has a result", () => {
    const slow = createModes([mode("slow", [{ group: "edit", files: { pattern: "^(a+)+$" } }])]);
    const error = (path: string) =>
      validateToolUse({
        modes: slow,
        mode: "slow",
        tool: toolNamed("write_to_file"),
        call: { input: {}, workspace: "/w", paths: [pathAt(path)] },
      });
    expect(error(`${"a".repeat(2_000)}!`)).toContain("permits edits only of files that match ^(a+)+$");
    expect(error("a".repeat(2_000))).toBeUndefined();
  });

  test("an error is bounded, however many modes there are and however long the arguments are", () => {
    const many = createModes(Array.from({ length: 500 }, (_, at) => mode(`mode-${at}`, [{ group: "read" }])));
    const error = validateToolUse({ modes: many, mode: "x".repeat(10_000), tool: toolNamed("read_file") });
    expect(error).toContain("and 475 more");
    expect(error?.length).toBeLessThan(1_000);
    expect(review("architect", "write_to_file", {}, [pathAt("x".repeat(10_000))])?.length).toBeLessThan(
      1_000,
    );
  });

  const permission = fc.constantFrom<Mode["permissions"][number]>(
    { group: "read" },
    { group: "command" },
    { group: "mcp" },
  );
  const permissions = fc.uniqueArray(permission, { selector: ({ group }) => group });
  const edits = fc.constantFrom(...builtinTools().filter(({ group }) => group === "edit"));
  const path = fc.oneof(fc.constantFrom("a.md", "../a.md", "/w/a.md", "."), fc.string());

  test("a mode without the group edit never permits a call of an edit tool, whatever the arguments", () => {
    fc.assert(
      fc.property(
        permissions,
        edits,
        fc.object(),
        fc.array(path),
        fc.boolean(),
        (groups, tool, input, paths, full) => {
          const reader = createModes([mode("reader", groups)]);
          const call = { input, workspace: "/w", paths: paths.map((each) => pathAt(each)) };
          const use = { modes: reader, mode: "reader", tool, ...(full && { call }) };
          expect(validateToolUse(use)).toContain("does not permit");
        },
      ),
      { numRuns: runs(2_000, 200) },
    );
  });

  test("a mode with a file pattern permits exactly the edits whose paths all match", () => {
    const name = fc.constantFrom("a.md", "b.md", "a.mdx", "a.ts", "md", "notes/a.md", "x.md/y", "a.md\n");
    fc.assert(
      fc.property(fc.array(name, { minLength: 1 }), edits, (paths, { name: tool }) => {
        const error = review(
          "architect",
          tool,
          {},
          paths.map((each) => pathAt(each)),
        );
        expect(error === undefined).toBe(paths.every((each) => each.endsWith(".md")));
      }),
      { numRuns: runs(2_000, 200) },
    );
  });
});
