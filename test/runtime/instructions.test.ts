import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { askAPerson, defineTool } from "../../tools/index.ts";
import { DONE, openRig, type Rig, resultsOf } from "../support/host.ts";

const SKILL = "---\nname: release\ndescription: How to release\n---\nRun the release script.\n";
const CALL = "{ tool: skill, input: { name: release } }";

/** What a request has beside the conversation. */
function headOf({ mock }: Rig, request = 0): { readonly system: string; readonly tools: readonly string[] } {
  const body = z
    .object({
      system: z.array(z.object({ text: z.string() })),
      tools: z.array(z.object({ name: z.string() })),
    })
    .parse(mock?.requests[request]?.body);
  return {
    system: body.system.map(({ text }) => text).join("\n\n"),
    tools: body.tools.map(({ name }) => name),
  };
}

/** A folder of a user's rules and skills. */
async function configOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "config-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  return folder;
}

describe("a task with skills", () => {
  test("lists them, offers the tool, and the model gets the body of one that it reads, without an ask", async () => {
    await using rig = await openRig({
      script: `[${CALL}, ${DONE}]`,
      completion: "tool",
      files: { ".claude/skills/release/SKILL.md": SKILL, ".claude/skills/release/steps.md": "1." },
    });
    expect(await rig.task.run("Release it")).toMatchObject({ result: "Done." });
    const { system, tools } = headOf(rig);
    expect(tools).toContain("skill");
    expect(system).toContain("- Look at the workspace: read_file, list_files, glob, search_files, skill\n");
    expect(system).toContain("- release: How to release");
    expect(resultsOf(rig.sent()[1] ?? [])).toEqual([
      "Skill: release (.claude/skills/release/SKILL.md)\nRun the release script.\n\nOther files of this skill, for read_file:\n- .claude/skills/release/steps.md",
    ]);
    expect(headOf(rig, 1)).toEqual({ system, tools });
  });

  test("of the user's folder reads them there, without an ask", async () => {
    const configDir = await configOf({ "skills/release/SKILL.md": SKILL });
    await using rig = await openRig({ script: `[${CALL}, { text: Done. }]`, configDir });
    await rig.task.run("Release it");
    expect(resultsOf(rig.sent()[1] ?? [])).toEqual([
      `Skill: release (${configDir}/skills/release/SKILL.md)\nRun the release script.`,
    ]);
  });

  test("asks about the tool if the policy does, with the name of the skill", async () => {
    const files = { ".roo/skills/release/SKILL.md": SKILL };
    await using rig = await openRig({ script: `[${CALL}, { text: Done. }]`, files, policy: askAPerson() });
    const run = rig.task.run("Release it");
    const ask = await rig.ask("tool");
    expect(rig.task.log.toArray().at(-1)?.text).toBe('{"tool":"skill","skill":"release"}');
    ask.approve();
    await run;
    expect(resultsOf(rig.sent()[1] ?? [])[0]).toContain("Run the release script.");
  });

  test("is not offered the tool, nor told of skills, if its own tools have none that reads them", async () => {
    const own = defineTool({
      name: "own",
      description: "x",
      inputSchema: z.object({}),
      effect: "none",
      execute: () => "",
    });
    const files = { ".roo/skills/release/SKILL.md": SKILL, ".roo/skills/bad/SKILL.md": "bad" };
    await using rig = await openRig({ script: "[{ text: Done. }]", files, tools: [own] });
    await rig.task.run("Release it");
    expect(headOf(rig)).toMatchObject({ system: expect.not.stringMatching(/skill/i), tools: ["own"] });
  });
});

describe("a task without skills", () => {
  test("is not offered the tool, and a call of it is an error for the model", async () => {
    await using rig = await openRig({ script: `[${CALL}, { text: Done. }]` });
    expect(await rig.task.run("Release it")).toMatchObject({ result: "Done." });
    const { system, tools } = headOf(rig);
    expect(tools).not.toContain("skill");
    expect(system).not.toMatch(/skill/i);
    expect(resultsOf(rig.sent()[1] ?? [])).toEqual([
      expect.stringContaining("There is no skill 'release'. There are none."),
    ]);
  });

  test("reports a SKILL.md that can't be used, and runs", async () => {
    const files = { ".claude/skills/bad/SKILL.md": "no front matter" };
    await using rig = await openRig({ script: "[{ text: Done. }]", files });
    expect(await rig.task.run("Go")).toMatchObject({ result: "Done." });
    const { system, tools } = headOf(rig);
    expect(tools).not.toContain("skill");
    expect(system).toContain("- .claude/skills/bad/SKILL.md: it must begin with front matter");
  });
});

describe("the rules of a task", () => {
  test("are the user's own, then the workspace's, then the rules of its subfolders", async () => {
    const configDir = await configOf({ "AGENTS.md": "Be brief." });
    const files = { "AGENTS.md": "Be kind.", "api/AGENTS.md": "Be strict." };
    await using rig = await openRig({ script: "[{ text: Done. }]", files, configDir });
    await rig.task.run("Go");
    expect(headOf(rig).system).toMatch(/Be brief\..*Be kind\..*for the files in api\/\)\nBe strict\./s);
  });

  test("do not include the user's own unless their folder is an option", async () => {
    await using rig = await openRig({ script: "[{ text: Done. }]", files: { "AGENTS.md": "Be kind." } });
    await rig.task.run("Go");
    expect(headOf(rig).system).not.toContain("Rules of the user");
  });
});
