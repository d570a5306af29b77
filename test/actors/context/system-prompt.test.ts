import { describe, expect, test } from "vitest";
import { systemPrompt } from "../../../actors/context/index.ts";

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

  test("takes another role, and has no part for tools or rules without any", () => {
    const parts = systemPrompt({ ...given, role: "You translate.", tools: [] });
    expect(parts[0]).toBe("You translate.");
    expect(parts).toHaveLength(2);
  });

  test("is equal for equal options, so that it can be cached", () => {
    expect(systemPrompt(given)).toEqual(systemPrompt(given));
  });
});
