import { expect, test } from "vitest";
import { systemShell } from "../../../adapters/shell/shell.ts";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";
import type { SkillContent } from "../../../ports/skills.ts";
import { builtinTools, type Skills } from "../../../tools/index.ts";
import { createRegistry } from "../../../tools/registry.ts";

const registry = createRegistry(builtinTools());

function prepared(input: Record<string, unknown>) {
  const preparation = registry.find("skill")?.prepare(input);
  if (preparation?.ok !== true) throw new Error(preparation?.error);
  return preparation.call;
}

const reading = (content: SkillContent): Skills => ({
  list: async () => ({ skills: [], invalid: [], cut: false }),
  read: async () => content,
});

async function text(skills: Skills | undefined): Promise<string> {
  const { content } = await prepared({ name: "release" }).execute({
    workspace: await openWorkspace("."),
    shell: systemShell(),
    signal: new AbortController().signal,
    output: () => {},
    progress: () => {},
    skills,
  });
  return content[0]?.type === "text" ? content[0].text : "";
}

const SKILL: SkillContent = { path: "s/SKILL.md", body: "Do it.", files: [], cut: false, inside: true };

test("skill returns the body, and the paths of the other files for read_file", async () => {
  expect(await text(reading(SKILL))).toBe("Skill: release (s/SKILL.md)\nDo it.");
  expect(await text(reading({ ...SKILL, files: ["s/a.md", "s/b.md"], cut: true }))).toBe(
    "Skill: release (s/SKILL.md)\nDo it.\n\nOther files of this skill, for read_file:\n- s/a.md\n- s/b.md\n[... there are more files ...]",
  );
});

test("skill says that the files of a user's skill are out of reach", async () => {
  const users = { ...SKILL, path: "/me/s/SKILL.md", files: ["/me/s/a.md"], inside: false };
  expect(await text(reading(users))).toContain(
    "outside of the workspace, where read_file can't read them:\n- /me/s/a.md",
  );
});

test("skill fails in a task without skills", async () => {
  await expect(text(undefined)).rejects.toMatchObject({ code: "NOT_FOUND" });
});

test("a call of skill shows the name, and has no path", async () => {
  const description = await prepared({ name: "release" }).describe({ workspace: await openWorkspace(".") });
  expect(description).toEqual({ text: '{"tool":"skill","skill":"release"}', paths: [] });
  expect(registry.find("skill")?.partial({ name: "rel" })).toBe('{"tool":"skill","skill":"rel"}');
});
