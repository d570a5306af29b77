import { objectOf, type SettingEntry } from "./entry.ts";
import { SettingsError } from "./error.ts";
import { problemsOf } from "./problem.ts";
import { Settings } from "./schema.ts";

/** Variables of the environment, and the settings that they set. */
const SETTINGS_VARIABLES = {
  SIGNALBOX_PROFILE: ["profile"],
  SIGNALBOX_MODE: ["mode"],
  SIGNALBOX_PERMISSION_MODE: ["permissions", "mode"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The settings of the environment. An empty variable sets nothing.
 *
 * @throws SettingsError `SETTINGS_INVALID`
 */
export function environmentEntries(env: Environment): readonly SettingEntry[] {
  const entries = Object.entries(SETTINGS_VARIABLES).flatMap(([name, path]): SettingEntry[] => {
    const value = env[name] ?? "";
    return value === "" ? [] : [{ path, value, source: "environment", origin: name }];
  });
  return checked(entries);
}

/** Settings that are not of a file, validated. @throws SettingsError `SETTINGS_INVALID` */
export function checked(entries: readonly SettingEntry[]): readonly SettingEntry[] {
  const root = objectOf(entries);
  const { error } = Settings.safeParse(root);
  const lines = (error?.issues ?? []).flatMap((issue) =>
    problemsOf(issue, root, Settings).map(({ path, text }) => {
      const entry = entries.find((each) => each.path.every((name, index) => name === path[index]));
      return `${entry?.origin ?? path.join(".")}: ${text}`;
    }),
  );
  if (lines.length > 0) throw new SettingsError("SETTINGS_INVALID", lines.join("\n"));
  return entries;
}
