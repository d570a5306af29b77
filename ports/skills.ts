/** Instructions for one kind of work, in a folder with a `SKILL.md`. */
export interface Skill {
  /** At most 64 characters. */
  readonly name: string;
  /** In one line. */
  readonly description: string;
}

/** A `SKILL.md`, or a folder of skills, that can't be used. */
export interface InvalidSkill {
  readonly path: string;
  /** In one line. */
  readonly reason: string;
}

export interface SkillList {
  readonly skills: readonly Skill[];
  readonly invalid: readonly InvalidSkill[];
  /** Whether the list was cut at the limit. */
  readonly cut: boolean;
}

export interface SkillContent {
  /** The path of its `SKILL.md`: relative to the workspace, or absolute. */
  readonly path: string;
  /** The text after the front matter. */
  readonly body: string;
  /** The other files in its folder, with paths as `path`. */
  readonly files: readonly string[];
  /** Whether it has more files. */
  readonly cut: boolean;
  /** Whether it is in the workspace, so that the tools can read its files. */
  readonly inside: boolean;
}

/** The skills of a task. They are read by name, never by path (L9). */
export interface Skills {
  /** Find the skills. Never rejects: a skill that can't be used is in the list of invalid ones. */
  list(): Promise<SkillList>;
  /** @throws ToolError `NOT_FOUND` if no skill has the name */
  read(name: string): Promise<SkillContent>;
}
