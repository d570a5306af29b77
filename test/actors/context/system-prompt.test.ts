import { describe, expect, test } from "vitest";
import { systemPrompt } from "../../../actors/context/system-prompt.ts";
import type { Mode } from "../../../tools/index.ts";

const tools = [
  { name: "read_file", group: "read" },
  { name: "list_files", group: "read" },
  { name: "write_to_file", group: "edit" },
  { name: "attempt_completion", group: "always" },
] as const;
const given = { tools, workspace: "/w", rules: [], os: "TestOS 1", shell: "/bin/tsh" };

describe("the system prompt", () => {
  test("has a line of tool names for each group with tools", () => {
    const [, toolPart = ""] = systemPrompt(given);
    expect(toolPart.match(/^- .*$/gm)).toEqual([
      "- Look at the workspace: read_file, list_files",
      "- Change files: write_to_file",
      "- Talk and plan: attempt_completion",
    ]);
    expect(toolPart).not.toContain("ask_followup_question");
  });

  test("contains the folder, the system and the shell", () => {
    const text = systemPrompt(given).join("\n");
    for (const fact of ["/w", "TestOS 1", "/bin/tsh"]) expect(text).toContain(fact);
  });

  test("marks each rule with its file, and a cut rule", () => {
    const rules = [
      { path: "AGENTS.md", text: "Be kind.", cut: false },
      { path: ".roo/rules/a.md", text: "Be", cut: true },
    ];
    const part = systemPrompt({ ...given, rules }).at(-1);
    expect(part).toContain("## AGENTS.md\nBe kind.");
    expect(part).toContain("## .roo/rules/a.md\nBe\n(.roo/rules/a.md is longer");
  });

  test("names the folder of a nested rule file, and that the nearest file wins, only if there is one", () => {
    const top = { path: "AGENTS.md", text: "Be kind.", cut: false };
    const nested = { path: "api/AGENTS.md", folder: "api", text: "Be strict.", cut: false };
    const part = systemPrompt({ ...given, rules: [top, nested] }).at(-1);
    expect(part).toContain("## AGENTS.md\nBe kind.");
    expect(part).toContain("## api/AGENTS.md (for the files in api/)\nBe strict.");
    expect(part).toContain("the one nearest to the file that you change wins");
    expect(systemPrompt({ ...given, rules: [top] }).at(-1)).not.toContain("nearest");
  });

  test("has the user's own rules before the workspace's, which take precedence", () => {
    const userRules = [{ path: "/me/AGENTS.md", text: "Be brief.", cut: false }];
    const rules = [{ path: "AGENTS.md", text: "Be kind.", cut: false }];
    const [user, workspace] = systemPrompt({ ...given, userRules, rules }).slice(-2);
    expect(user).toMatch(/^# Rules of the user\n\n.* take precedence\.\n\n## \/me\/AGENTS\.md\nBe brief\.$/);
    expect(workspace).toContain("## AGENTS.md\nBe kind.");
  });

  test("lists the skills by name and description, with the tool that reads them", () => {
    const skills = { skills: [{ name: "release", description: "How to release" }], invalid: [], cut: false };
    const reader = { name: "skill", group: "read", requires: "skills" } as const;
    const part = systemPrompt({ ...given, tools: [...tools, reader], skills }).at(-1);
    expect(part).toMatch(/^# Skills\n\n.* with skill before you begin\.\n\n- release: How to release$/);
    const cut = systemPrompt({ ...given, tools: [...tools, reader], skills: { ...skills, cut: true } }).at(
      -1,
    );
    expect(cut).toContain("There are more skills");
    expect(systemPrompt({ ...given, skills })).toEqual(systemPrompt(given));
  });

  test("reports a skill that can't be used, with the reason", () => {
    const invalid = [{ path: ".roo/skills/a/SKILL.md", reason: "no name" }];
    const part = systemPrompt({ ...given, skills: { skills: [], invalid, cut: false } }).at(-1);
    expect(part).toMatch(/^# Skills\n\nThese can't be used .*\n- \.roo\/skills\/a\/SKILL\.md: no name$/);
  });

  const translate: Mode = { slug: "t", name: "Translate", role: "You translate.", permissions: [] };

  test("takes the role of the mode, and has no part for tools or rules without any", () => {
    const parts = systemPrompt({ ...given, mode: translate, tools: [] });
    expect(parts[0]).toBe("You translate.");
    expect(parts).toHaveLength(2);
  });

  test("has the instructions of the mode, and the other modes where a tool selects one", () => {
    const mode = { ...translate, instructions: "Keep names." };
    const modes = [mode, { ...translate, slug: "code", whenToUse: "Write code." }];
    const partOf = (name: string) =>
      systemPrompt({ ...given, mode, modes, tools: [{ name, group: "always" }] }).at(-1);
    expect(partOf("switch_mode")).toBe(
      "# Modes\n\nInstructions of mode t:\nKeep names.\n\nOther modes:\n- code: Write code.",
    );
    expect(partOf("note")).toBe("# Modes\n\nInstructions of mode t:\nKeep names.");
  });

  test("is equal for equal options, so that it can be cached", () => {
    expect(systemPrompt(given)).toEqual(systemPrompt(given));
  });
});
