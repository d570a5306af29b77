import type { PermissionLevel } from "../machines/tool-call/permissions.ts";
import type { PermissionSource } from "../tools/policy/permission-rule.ts";
import { isList, objectOf, type SettingEntry, settingAt } from "./entry.ts";
import { assertHookNames } from "./hooks.ts";
import { admitProject, type IgnoredSetting } from "./project.ts";
import { Settings } from "./schema.ts";

/** Settings of all sources. A later source replaces the values of an earlier one; rules, tools, hooks and policies are added. */
export interface SettingSources {
  readonly user: readonly SettingEntry[];
  readonly project: readonly SettingEntry[];
  readonly isTrusted: boolean;
  readonly environment: readonly SettingEntry[];
  /** The settings of the command line. */
  readonly flags: readonly SettingEntry[];
}

/** The settings in effect. */
export interface ResolvedSettings {
  readonly settings: Settings;
  /** Each setting with its origin, and each rule and tool. */
  readonly entries: readonly SettingEntry[];
  /** The settings of a project that have no effect. */
  readonly ignored: readonly IgnoredSetting[];
  /** The rules, for `permissions` of `signalbox/tools`. */
  readonly rules: readonly PermissionSource[];
}

/** @throws SettingsError `SETTINGS_INVALID` if two hooks have one name */
export function resolveSettings(sources: SettingSources): ResolvedSettings {
  const { user, project, isTrusted, environment, flags } = sources;
  const { admitted, ignored } = admitProject(project, Settings.parse(objectOf(user)), isTrusted);
  const entries = inEffect([...user, ...admitted, ...environment, ...flags]);
  assertHookNames(entries);
  return { settings: Settings.parse(objectOf(entries)), entries, ignored, rules: rulesOf(entries) };
}

/** The last entry of each setting, and all rules and tools. */
function inEffect(entries: readonly SettingEntry[]): readonly SettingEntry[] {
  const last = new Map(entries.map((entry) => [JSON.stringify(entry.path), entry]));
  return entries.filter((entry) => {
    const setting = settingAt(entry.path);
    return (setting !== undefined && isList(setting)) || last.get(JSON.stringify(entry.path)) === entry;
  });
}

const LEVELS: ReadonlySet<string> = new Set(["allow", "ask", "deny"] satisfies PermissionLevel[]);

/** One source a rule, so that a decision names its line. */
function rulesOf(entries: readonly SettingEntry[]): readonly PermissionSource[] {
  return entries.flatMap(({ path, value, origin }): PermissionSource[] => {
    const [level] = path.slice(-1);
    if (path[0] !== "permissions" || level === undefined || !LEVELS.has(level)) return [];
    return [{ origin, [level]: [String(value)] }];
  });
}
