import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openSkills } from "../../../adapters/index.ts";
import type { SkillLimits } from "../../../adapters/instructions/skills.ts";

let base: string;
let workspace: string;
let configDir: string;

beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), "skills-")));
  workspace = path.join(base, "work");
  configDir = path.join(base, "config");
  await mkdir(workspace);
});
afterEach(() => rm(base, { recursive: true }));

const put = async (file: string, text: string) => {
  const at = path.join(base, file);
  await mkdir(path.dirname(at), { recursive: true });
  await writeFile(at, text);
};
const skill = (name: string, description = `About ${name}`, body = `Do ${name}.`): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`;
const open = (limits: SkillLimits = {}) => openSkills({ workspace, configDir, limits });
const list = async (limits?: SkillLimits) => (await open(limits)).list();
const names = async (limits?: SkillLimits) => (await list(limits)).skills.map(({ name }) => name);

describe("skills", () => {
  test("are found in the folders of the workspace and of the user, with name and description", async () => {
    await put("config/skills/mine/SKILL.md", skill("mine"));
    await put("work/.roo/skills/c/SKILL.md", skill("c"));
    await put("work/.claude/skills/b/SKILL.md", skill("b", ">\n  Two\n  lines"));
    await put("work/.signalbox/skills/a/SKILL.md", skill("a"));
    await put("work/.signalbox/skills/no-skill/README.md", "no");
    await put("work/.signalbox/skills/README.md", "no");
    expect(await list()).toEqual({
      skills: [
        { name: "a", description: "About a" },
        { name: "b", description: "Two lines" },
        { name: "c", description: "About c" },
        { name: "mine", description: "About mine" },
      ],
      invalid: [],
      cut: false,
    });
  });

  test("may be missing, and a user's folder is not read unless it is an option", async () => {
    expect(await list()).toEqual({ skills: [], invalid: [], cut: false });
    await put("config/skills/mine/SKILL.md", skill("mine"));
    expect((await openSkills({ workspace }).list()).skills).toEqual([]);
  });

  test("have a body, and the paths of the other files that the tools can read", async () => {
    await put("work/.claude/skills/release/SKILL.md", skill("release", "Releases", "First\n---\nthen"));
    await put("work/.claude/skills/release/notes/style.md", "x");
    await put("work/.claude/skills/release/check.sh", "x");
    expect(await open().read("release")).toEqual({
      path: ".claude/skills/release/SKILL.md",
      body: "First\n---\nthen",
      files: [".claude/skills/release/check.sh", ".claude/skills/release/notes/style.md"],
      cut: false,
      inside: true,
    });
  });

  test("of the user have absolute paths, also through symlinks", async () => {
    await put("elsewhere/SKILL.md", skill("mine"));
    await put("elsewhere/more.md", "x");
    await mkdir(path.join(configDir, "skills"), { recursive: true });
    await symlink(path.join(base, "elsewhere"), path.join(configDir, "skills/mine"));
    expect(await open().read("mine")).toEqual({
      path: path.join(configDir, "skills/mine/SKILL.md"),
      body: "Do mine.",
      files: [path.join(configDir, "skills/mine/more.md")],
      cut: false,
      inside: false,
    });
  });

  test("are read by the name of a skill that was found, never by a path", async () => {
    await put("work/.claude/skills/a/SKILL.md", skill("b"));
    await put("work/secret/SKILL.md", skill("secret"));
    for (const name of ["a", "../../secret", "secret", ".claude/skills/a", `${workspace}/secret`])
      await expect(open().read(name)).rejects.toMatchObject({
        code: "NOT_FOUND",
        message: `There is no skill '${name}'. The skills are: b.`,
      });
  });

  test("of the workspace replace the user's; a name that the workspace has twice is reported", async () => {
    await put("config/skills/a/SKILL.md", skill("a", "user's"));
    await put("work/.signalbox/skills/a/SKILL.md", skill("a", "workspace's"));
    await put("work/.claude/skills/a/SKILL.md", skill("a", "another"));
    expect(await list()).toEqual({
      skills: [{ name: "a", description: "workspace's" }],
      invalid: [
        {
          path: ".claude/skills/a/SKILL.md",
          reason: ".signalbox/skills/a/SKILL.md has the same name. Rename one",
        },
      ],
      cut: false,
    });
  });

  test.each([
    ["no front matter", "# Title\n---\nname: a\n---\n", "it must begin with front matter"],
    ["an open front matter", "---\nname: a\ndescription: b\n", "it must begin with front matter"],
    ["an empty front matter", "---\n---\nbody", "expected the fields name and description"],
    ["no description", "---\nname: a\n---\n", "description: expected a text"],
    ["an empty description", "---\nname: a\ndescription: ' '\n---\n", "description: expected a text"],
    ["a name of another type", "---\nname: [a]\ndescription: b\n---\n", "name: expected a text"],
    [
      "a name with other characters",
      "---\nname: a/b\ndescription: b\n---\n",
      "name: expected 1 to 64 letters",
    ],
    ["invalid YAML", "---\nname: 'a\ndescription: b\n---\n", "the front matter is not valid YAML: Missing"],
    [
      "aliases that expand",
      `---\na: &a [${"x,".repeat(9)}]\nb: &b [${"*a,".repeat(99)}]\nc: [*b,*b]\n---\n`,
      "the front matter is not valid YAML",
    ],
    ["a long front matter", `---\nname: a\nx: ${"y".repeat(20_000)}\n---\n`, "expected at most 16384"],
    ["bytes that are no text", "---\nname: a\0\n---\n", "is not text"],
  ])("with %s are reported with the reason, and the others are found", async (_, text, reason) => {
    await put("work/.claude/skills/bad/SKILL.md", text);
    await put("work/.claude/skills/good/SKILL.md", skill("good"));
    const { skills, invalid } = await list();
    expect(skills.map(({ name }) => name)).toEqual(["good"]);
    expect(invalid).toEqual([
      { path: ".claude/skills/bad/SKILL.md", reason: expect.stringContaining(reason) },
    ]);
  });

  test("may have Windows line ends, a byte order mark, a name with spaces and unknown fields", async () => {
    const text = "\uFEFF---\r\nname: PDF Processing\r\ndescription: Forms\r\nlicense: MIT\r\n---\r\nBody\r\n";
    await put("work/.claude/skills/pdf/SKILL.md", text);
    expect(await names()).toEqual(["PDF Processing"]);
    expect((await open().read("PDF Processing")).body).toBe("Body");
  });

  test("L9: are not read through a symlink that leads outside of the workspace", async () => {
    await put("outside/a/SKILL.md", skill("outside"));
    await mkdir(path.join(workspace, ".claude/skills"), { recursive: true });
    await symlink(path.join(base, "outside/a"), path.join(workspace, ".claude/skills/linked"));
    await mkdir(path.join(workspace, ".roo"));
    await symlink(path.join(base, "outside"), path.join(workspace, ".roo/skills"));
    const { skills, invalid } = await list();
    expect(skills).toEqual([]);
    expect(invalid).toEqual([
      { path: ".claude/skills/linked/SKILL.md", reason: expect.stringContaining("outside the workspace") },
      { path: ".roo/skills", reason: expect.stringContaining("outside the workspace") },
    ]);
  });

  test.each(["denied/", ".claude/", "SKILL.md"])(
    "are omitted if .rooignore denies them by %s",
    async (rule) => {
      await put("work/.claude/skills/denied/SKILL.md", skill("denied"));
      await put("work/.rooignore", `${rule}\n`);
      expect(await list()).toEqual({ skills: [], invalid: [], cut: false });
    },
  );

  test("are found in a folder that git ignores", async () => {
    await put("work/.gitignore", ".claude/\n");
    await put("work/.claude/skills/a/SKILL.md", skill("a"));
    expect(await names()).toEqual(["a"]);
  });

  test("L14: are limited in number, size, description and files", async () => {
    for (const name of ["a", "b", "c"]) await put(`work/.claude/skills/${name}/SKILL.md`, skill(name));
    await put("config/skills/d/SKILL.md", skill("d"));
    expect(await list({ skills: 2 })).toMatchObject({ skills: [{ name: "a" }, { name: "b" }], cut: true });
    expect(await list({ skills: 3 })).toMatchObject({ skills: { length: 3 }, cut: true });
    expect(await list({ skills: 4 })).toMatchObject({ skills: { length: 4 }, cut: false });
    await put("work/.claude/skills/b/SKILL.md", "invalid");
    expect(await list({ skills: 2 })).toMatchObject({
      skills: [{ name: "a" }],
      invalid: { length: 1 },
      cut: true,
    });
    await put("work/.claude/skills/b/SKILL.md", skill("b"));
    expect((await list({ descriptionBytes: 7 })).skills[0]?.description).toBe("About a");
    expect((await list({ descriptionBytes: 5 })).skills[0]?.description).toBe("About[... 2 bytes cut]");
    expect((await list({ fileBytes: 10 })).invalid).toHaveLength(4);
    for (const file of ["x", "y", "z"]) await put(`work/.claude/skills/a/${file}`, file);
    expect(await open({ files: 2 }).read("a")).toMatchObject({ cut: true });
  });

  test("are none in a workspace that was removed, with the reason", async () => {
    await rm(workspace, { recursive: true });
    expect(await list()).toMatchObject({ skills: [], invalid: [{ path: workspace }] });
  });
});
