import { z } from "zod";
import type { SkillContent } from "../../ports/skills.ts";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import { ToolError } from "../error.ts";
import type { Tool } from "../tool.ts";

/** Reads a skill by its name. Offered to a task that has skills. */
export const skill: Tool = {
  ...defineTool({
    name: "skill",
    displayName: "Read skill",
    group: "read",
    effect: "reads",
    description:
      "Reads a skill of the list of skills: its instructions, and the names of the other files in its folder.",
    inputSchema: z.object({ name: z.string().min(1).describe("The name of the skill, as in the list.") }),
    partial: (raw) => {
      const name = textOf(raw, "name");
      return name === undefined ? undefined : descriptor(name, PARTIAL_MAX_BYTES);
    },
    describe: ({ name }) => descriptor(name),
    execute: async ({ name }, { skills }) => {
      if (skills === undefined)
        throw new ToolError(
          "NOT_FOUND",
          `There is no skill '${name}': this task has none. Continue without it.`,
        );
      return format(name, await skills.read(name));
    },
  }),
  requires: "skills",
};

function descriptor(name: string, maxBytes?: number): string {
  return boundedDescriptor({ tool: "skill", skill: name }, maxBytes);
}

function format(name: string, { path, body, files, cut, inside }: SkillContent): string {
  const text = `Skill: ${name} (${path})\n${body}`;
  if (files.length === 0) return text;
  const use = inside
    ? "Other files of this skill, for read_file"
    : "Other files of this skill, outside of the workspace, where read_file can't read them";
  const more = cut ? "\n[... there are more files ...]" : "";
  return `${text}\n\n${use}:\n${files.map((file) => `- ${file}`).join("\n")}${more}`;
}
