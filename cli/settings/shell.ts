import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import path from "node:path";
import type { LoadedSettings } from "../../settings/index.ts";
import { CliError } from "../error.ts";
import type { RunSettings } from "../run/index.ts";

/** The shell of a run. Commands don't get the keys of profiles. @throws CliError if it does not exist */
export async function readShell({
  settings,
  entries,
}: Pick<LoadedSettings, "settings" | "entries">): Promise<RunSettings["shell"]> {
  const { shell, profiles = {} } = settings;
  const withheldEnv = Object.values(profiles).flatMap(({ keyVariable }) => keyVariable ?? []);
  if (shell === undefined) return { withheldEnv };
  if (await isExecutable(shell)) return { path: shell, withheldEnv };
  const origin = entries.find(({ path: [first] }) => first === "shell")?.origin;
  throw new CliError(
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
