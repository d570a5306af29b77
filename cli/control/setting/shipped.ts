import { readdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { CliError } from "../../error.ts";
import { type ControlSetting, readSetting } from "./setting.ts";

/** The build copies the folder beside its chunks. */
const FOLDER = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../settings" : "../control/settings", import.meta.url),
);

/**
 * Read settings: shipped ones by their names, others by the paths of their folders. Default: all shipped ones.
 *
 * @throws CliError for an unknown name
 * @throws RunError `SETTING_INVALID`
 */
export async function readSettings(names?: readonly string[]): Promise<readonly ControlSetting[]> {
  const shipped = (await readdir(FOLDER)).sort();
  const folders = (names ?? shipped).map((name) => {
    if (shipped.includes(name)) return path.join(FOLDER, name);
    if (/[\\/]/.test(name)) return name;
    throw new CliError(
      `--setting: expected the path of a folder or one of ${shipped.join(", ")}, got "${name}".`,
    );
  });
  return Promise.all([...new Set(folders)].map(readSetting));
}
