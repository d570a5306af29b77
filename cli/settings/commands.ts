import { expandCommand, parseCommand } from "../../settings/commands/command-file.ts";
import { readCommandTexts } from "../../settings/commands/command-texts.ts";
import { SettingsError } from "../../settings/error.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import { PROJECT_COMMANDS } from "../../settings/trust.ts";
import type { RunCommand, RunCommands } from "../run/settings.ts";

const USER_FOLDER = "commands";

/** The command files of a run: first of a trusted project, then of the user. */
export async function readRunCommands(
  { project }: Pick<LoadedSettings, "project">,
  configDir: string,
): Promise<RunCommands> {
  const list = new Map<string, RunCommand>();
  const problems: string[] = [];
  const add = async (text: string, folder: string, file: string, origin: string): Promise<void> => {
    try {
      const command = await parseCommand(text, file.slice(folder.length + 1), origin);
      const expand = (given: string): string => expandCommand(command, given);
      if (!list.has(command.name)) list.set(command.name, { ...command, origin, expand });
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      problems.push(error.message);
    }
  };
  if (project?.isTrusted === true) {
    problems.push(...project.commands.problems);
    for (const [file, text] of Object.entries(project.commands.texts)) {
      const folder = PROJECT_COMMANDS.find((name) => file.startsWith(`${name}/`)) ?? "";
      await add(text, folder, file, file);
    }
  }
  const user = await readCommandTexts(configDir, USER_FOLDER, { isConfined: false });
  problems.push(...user.problems.map((problem) => `${configDir}/${problem}`));
  for (const [file, text] of Object.entries(user.texts))
    await add(text, USER_FOLDER, file, `${configDir}/${file}`);
  const untrusted = ignoredCommandFiles(project).map((file) => commandNameOf(withoutFolder(file)));
  return { list: [...list.values()], problems, untrusted };
}

/** The path of a project's command file in its folder of commands. */
const withoutFolder = (file: string): string =>
  PROJECT_COMMANDS.reduce(
    (path, folder) => (path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path),
    file,
  );

const commandNameOf = (relative: string): string => relative.replace(/\.md$/, "").replaceAll("/", ":");

/** The command files that have no effect, as the project is not trusted. */
export function ignoredCommandFiles(project: LoadedSettings["project"]): readonly string[] {
  return project === undefined || project.isTrusted ? [] : Object.keys(project.commands.texts);
}
