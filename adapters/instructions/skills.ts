import path from "node:path";
import type { InvalidSkill, Skill, SkillContent, SkillList, Skills } from "../../ports/skills.ts";
import { formatError, ToolError } from "../../tools/error.ts";
import { cutEnd } from "../../tools/text.ts";
import { openWorkspace } from "../workspace/workspace.ts";
import { parseSkill } from "./skill-file.ts";
import { SKILL_FILE, type SkillFolder, userSkills, workspaceSkills } from "./skill-folder.ts";

export interface SkillLimits {
  /** Maximum number of skills, and of entries of one folder of skills. Default 100. */
  readonly skills?: number;
  /** Maximum bytes of a `SKILL.md`. Default 131,072. */
  readonly fileBytes?: number;
  /** Maximum bytes of a description; its end is cut with a mark. Default 1,024. */
  readonly descriptionBytes?: number;
  /** Maximum number of other files that are listed with a skill. Default 100. */
  readonly files?: number;
}

export interface SkillOptions {
  /** The workspace folder. */
  readonly workspace: string;
  /** The user's folder, whose `skills` are read after the workspace's. Default: none. */
  readonly configDir?: string | undefined;
  readonly limits?: SkillLimits;
}

/** Folders of skills in a workspace. Of two skills with the same name, the first is used. */
const PLACES = [".signalbox/skills", ".claude/skills", ".roo/skills"];

/** A skill, and where it was found. */
interface FoundSkill extends Skill {
  readonly body: string;
  readonly folder: SkillFolder;
  readonly entry: string;
}

interface Discovery {
  readonly found: ReadonlyMap<string, FoundSkill>;
  readonly invalid: readonly InvalidSkill[];
  readonly cut: boolean;
}

/**
 * The skills of a workspace, and of a user. They are found again for each list and each read, so a changed skill is
 * current. A skill of the workspace replaces one of the user with the same name.
 */
export function openSkills({ workspace, configDir, limits = {} }: SkillOptions): Skills {
  const { skills: skillsMax = 100, fileBytes = 131_072, descriptionBytes = 1_024, files = 100 } = limits;
  const folders = async (): Promise<readonly SkillFolder[]> => {
    const opened = await openWorkspace(workspace, { maxFileBytes: fileBytes });
    const own = configDir === undefined ? [] : [userSkills(path.resolve(configDir, "skills"), fileBytes)];
    return [...PLACES.map((place) => workspaceSkills(opened, place)), ...own];
  };
  const discover = async (): Promise<Discovery> => {
    const search = new SkillSearch(skillsMax);
    for (const folder of await folders()) await search.readFolder(folder);
    return search;
  };
  return {
    async list(): Promise<SkillList> {
      try {
        const { found, invalid, cut } = await discover();
        const skills = [...found.values()].map(({ name, description }) => ({
          name,
          description: cutEnd(description, descriptionBytes),
        }));
        return { skills, invalid, cut };
      } catch (error) {
        return { skills: [], invalid: [{ path: workspace, reason: formatError(error) }], cut: false };
      }
    },
    async read(name): Promise<SkillContent> {
      const { found } = await discover();
      const skill = found.get(name);
      if (skill === undefined) throw unknownSkill(name, [...found.keys()]);
      const { folder, entry, body } = skill;
      const others = await folder.files(entry, files);
      return {
        path: pathOf(folder, entry),
        body,
        inside: folder.inside,
        files: others.names,
        cut: others.cut,
      };
    },
  };
}

/** Collects the skills of one folder after the other. */
class SkillSearch implements Discovery {
  readonly found = new Map<string, FoundSkill>();
  readonly invalid: InvalidSkill[] = [];
  cut = false;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  async readFolder(folder: SkillFolder): Promise<void> {
    try {
      const { names, cut } = await folder.entries(this.#limit);
      this.cut ||= cut;
      for (const entry of names) {
        if (this.#isFull()) {
          this.cut = true;
          return;
        }
        await this.#readEntry(folder, entry);
      }
    } catch (error) {
      this.#reject(folder.path, formatError(error));
    }
  }

  /** A skill that can't be used counts as well. */
  #isFull(): boolean {
    return this.found.size + this.invalid.length >= this.#limit;
  }

  async #readEntry(folder: SkillFolder, entry: string): Promise<void> {
    const file = pathOf(folder, entry);
    try {
      const text = await folder.read(entry);
      const parsed = text === undefined ? undefined : await parseSkill(text);
      if (parsed === undefined) return;
      if (!parsed.ok) return this.#reject(file, parsed.reason);
      this.#add(file, { ...parsed.skill, body: parsed.body, folder, entry });
    } catch (error) {
      this.#reject(file, formatError(error));
    }
  }

  #add(file: string, skill: FoundSkill): void {
    const other = this.found.get(skill.name);
    if (other === undefined) this.found.set(skill.name, skill);
    else if (other.folder.inside === skill.folder.inside)
      this.#reject(file, `${pathOf(other.folder, other.entry)} has the same name. Rename one`);
  }

  #reject(file: string, reason: string): void {
    this.invalid.push({ path: file, reason: cutEnd(reason.replace(/\s+/g, " "), REASON_MAX_BYTES) });
  }
}

/** Maximum bytes of the reason why a skill can't be used. */
const REASON_MAX_BYTES = 500;

const pathOf = (folder: SkillFolder, entry: string): string =>
  folder.inside ? `${folder.path}/${entry}/${SKILL_FILE}` : path.join(folder.path, entry, SKILL_FILE);

function unknownSkill(name: string, names: readonly string[]): ToolError {
  const known = names.length === 0 ? "There are none." : `The skills are: ${names.join(", ")}.`;
  return new ToolError("NOT_FOUND", `There is no skill '${cutEnd(name, 100)}'. ${known}`);
}
