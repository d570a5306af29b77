import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import path from "node:path";
import { SettingsError } from "./error.ts";
import type { ResolvedSettings } from "./resolve.ts";

/** The shell of a task, as `createHost().create({ shell })` takes it. */
export interface SelectedShell {
  readonly path?: string;
  /** The variables with the keys of profiles: commands don't get them. */
  readonly withheldEnv: readonly string[];
}

/** The shell of the settings. @throws SettingsError `NO_SHELL` if it does not exist */
export async function selectShell({
  settings,
  entries,
}: Pick<ResolvedSettings, "settings" | "entries">): Promise<SelectedShell> {
  const { shell, profiles = {} } = settings;
  const withheldEnv = Object.values(profiles).flatMap(({ keyVariable }) => keyVariable ?? []);
  if (shell === undefined) return { withheldEnv };
  if (await isExecutable(shell)) return { path: shell, withheldEnv };
  const origin = entries.find(({ path: [first] }) => first === "shell")?.origin;
  throw new SettingsError(
    "NO_SHELL",
    `${origin}: shell: expected the absolute path of an executable file, but '${shell}' is none. Correct the path, or remove the setting.`,
  );
}

async function isExecutable(file: string): Promise<boolean> {
  if (!path.isAbsolute(file)) return false;
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
