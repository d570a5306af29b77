import { homedir } from "node:os";
import path from "node:path";
import { systemCode } from "../store/files/system-code.ts";
import { parseDocument, readDocument } from "./document.ts";
import { entriesOf, type SettingEntry } from "./entry.ts";
import { checked, environmentEntries } from "./environment.ts";
import { mcpServersIn } from "./mcp.ts";
import { type ResolvedSettings, resolveSettings } from "./resolve.ts";
import { Settings } from "./schema.ts";
import { isTrusted, type ProjectFiles, readProjectFiles } from "./trust.ts";

export interface LoadOptions {
  /** The user's folder: `~/.config/signalbox`. */
  readonly configDir: string;
  /** The folder whose project settings are read. */
  readonly workspace: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Settings of the command line. Default: none. */
  readonly flags?: readonly Omit<SettingEntry, "source">[];
}

/** The settings in effect, and the project's files. */
export interface LoadedSettings extends ResolvedSettings {
  /** Undefined if the workspace does not exist. */
  readonly project: (ProjectFiles & { readonly isTrusted: boolean }) | undefined;
}

/** The settings file of a project, relative to its folder. */
const PROJECT_SETTINGS = ".signalbox/settings.yaml";

/** The user's settings file. */
export const userSettingsFile = (configDir: string): string => path.join(configDir, "settings.yaml");

/**
 * Read the settings of the user, the project, the environment and the command line. Of a project that is not trusted, only
 * what is stricter takes effect; nothing of it changes where requests go, with which key, or which shell runs commands.
 *
 * @throws SettingsError `SETTINGS_INVALID`, `SETTINGS_UNREADABLE`
 * @example
 * ```ts
 * import { loadSettings } from "signalbox/settings";
 * import { byRules } from "signalbox/tools";
 * const { settings, rules } = await loadSettings({
 *   configDir: "/home/me/.config/signalbox",
 *   workspace: "/home/me/project",
 *   env: process.env,
 * });
 * const policy = byRules({ sources: rules });
 * const mode = settings.permissions?.mode ?? "ask";
 * ```
 */
export async function loadSettings(options: LoadOptions): Promise<LoadedSettings> {
  const { configDir, workspace, env, flags = [] } = options;
  const userFile = userSettingsFile(configDir);
  const user = await readDocument(userFile, Settings);
  const project = await readProject(workspace, configDir);
  const text = project?.texts[PROJECT_SETTINGS];
  const document =
    project !== undefined && text !== undefined
      ? await parseDocument(text, path.join(project.folder, PROJECT_SETTINGS), Settings)
      : undefined;
  const resolved = resolveSettings({
    user: user === undefined ? [] : entriesOf(user, shortened(userFile), "user"),
    project: [
      ...(project?.isTrusted === true ? await mcpServersIn(project) : []),
      ...(document === undefined ? [] : entriesOf(document, PROJECT_SETTINGS, "project")),
    ],
    isTrusted: project?.isTrusted === true,
    environment: environmentEntries(env),
    flags: checked(flags.map((entry) => ({ ...entry, source: "flags" }))),
  });
  return { ...resolved, project };
}

async function readProject(workspace: string, configDir: string): Promise<LoadedSettings["project"]> {
  try {
    const files = await readProjectFiles(workspace);
    return { ...files, isTrusted: await isTrusted(files, configDir) };
  } catch (error) {
    // A task that can't use its workspace reports it.
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error))) return undefined;
    throw error;
  }
}

/** A path in the home folder with `~`. */
function shortened(file: string): string {
  const home = `${homedir()}${path.sep}`;
  return file.startsWith(home) ? `~/${file.slice(home.length)}` : file;
}
