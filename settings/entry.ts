import type { SettingsDocument } from "./document.ts";
import { PROJECT_USE, type SettingPath, type Settings } from "./schema.ts";

/** Where settings come from, from the weakest. */
export type SettingSource = "user" | "project" | "environment" | "flags";

/** A setting with its value, and where it comes from. */
export interface SettingEntry {
  /** Such as `["permissions", "mode"]`. A rule or a tool has the path of its list. */
  readonly path: readonly string[];
  readonly value: unknown;
  readonly source: SettingSource;
  /** Such as `~/.config/signalbox/settings.yaml:12` or `--profile`. */
  readonly origin: string;
}

const PATTERNS = Object.keys(PROJECT_USE).filter(isSettingPath);

function isSettingPath(key: string): key is SettingPath {
  return Object.hasOwn(PROJECT_USE, key);
}

/** The setting at a path: `profiles.*.model` for the model of any profile. Undefined where there is none. */
export function settingAt(path: readonly string[]): SettingPath | undefined {
  return PATTERNS.find((pattern) => {
    const names = pattern.split(".");
    return names.length === path.length && names.every((name, index) => name === "*" || name === path[index]);
  });
}

/** Whether it is a list, such as of rules, tools, paths, hooks or policies, to which each source adds. */
export const isList = (setting: SettingPath): boolean =>
  /^permissions\.(allow|ask|deny)$|(^|\.)tools\.(include|exclude)$|^browser\.allowPrivate$|^sandbox\.(hosts|write|read|denyRead|denyWrite)$|^hooks$|^policies$/.test(
    setting,
  );

/** The settings of a file, one for each rule and each tool. `label` is the name of the file in an origin. */
export function entriesOf(
  document: SettingsDocument<Settings>,
  label: string,
  source: SettingSource,
): readonly SettingEntry[] {
  const entryOf = (path: readonly string[], value: unknown, at: readonly string[] = path): SettingEntry => ({
    path,
    value,
    source,
    origin: `${label}:${document.lineOf(at)}`,
  });
  const below = (value: unknown, path: readonly string[]): readonly SettingEntry[] => {
    const setting = settingAt(path);
    if (setting === "version" || value === undefined) return [];
    if (setting !== undefined && isList(setting) && Array.isArray(value))
      return value.map((each: unknown, index) => entryOf(path, each, [...path, String(index)]));
    if (setting !== undefined) return [entryOf(path, value)];
    if (typeof value !== "object" || value === null) return [];
    return Object.entries(value).flatMap(([name, each]) => below(each, [...path, name]));
  };
  return below(document.value, []);
}

/** The settings as an object, for the schema. A later entry replaces an earlier one, but rules and tools are added. */
export function objectOf(entries: readonly SettingEntry[]): Readonly<Record<string, unknown>> {
  const root = new Map<string, unknown>([["version", 1]]);
  for (const { path, value } of entries) {
    let map = root;
    for (const name of path.slice(0, -1)) {
      const inner = map.get(name);
      const next = inner instanceof Map ? inner : new Map<string, unknown>();
      map.set(name, next);
      map = next;
    }
    const last = path.at(-1) ?? "";
    const setting = settingAt(path);
    const before = map.get(last);
    const isAdded = setting !== undefined && isList(setting);
    map.set(last, isAdded ? [...(Array.isArray(before) ? before : []), value] : value);
  }
  return plain(root);
}

const plain = (map: ReadonlyMap<string, unknown>): Readonly<Record<string, unknown>> =>
  Object.fromEntries([...map].map(([name, value]) => [name, value instanceof Map ? plain(value) : value]));
