import type { PermissionLevel } from "../machines/tool-call/permissions.ts";
import { parseDocument } from "./document.ts";
import { changeSettings, edited, NEW_SETTINGS, type SettingsChange } from "./file-edit.ts";
import { Settings } from "./schema.ts";

/**
 * Add a rule to a settings file, which is created if there is none. Comments and the order of the file are kept. A rule
 * that the file has already is not added again.
 *
 * @throws SettingsError `SETTINGS_INVALID` for a file or a rule that is not valid, `SETTINGS_UNREADABLE` also for a symlink
 */
export function addRule(file: string, level: PermissionLevel, rule: string): Promise<SettingsChange> {
  return changeSettings(file, (text) => withRule(text, file, level, rule.trim()));
}

/**
 * Remove a rule from a settings file, wherever the list of its level has it. Comments and the order of the file are kept.
 *
 * @throws SettingsError `SETTINGS_INVALID`, `SETTINGS_UNREADABLE` also for a symlink
 */
export function removeRule(file: string, level: PermissionLevel, rule: string): Promise<SettingsChange> {
  return changeSettings(file, async (text) => text && withoutRule(text, file, level, rule.trim()));
}

async function withRule(
  text: string | undefined,
  file: string,
  level: PermissionLevel,
  rule: string,
): Promise<string> {
  const source = text ?? NEW_SETTINGS;
  const { value } = await parseDocument(source, file, Settings);
  const rules = value.permissions?.[level];
  if (rules?.some((each) => each.trim() === rule) === true) return source;
  return edited(source, file, (document) => {
    const at = ["permissions", level];
    if (rules === undefined) document.setIn(at, document.createNode([rule]));
    else document.addIn(at, rule);
  });
}

async function withoutRule(
  text: string,
  file: string,
  level: PermissionLevel,
  rule: string,
): Promise<string> {
  const { value } = await parseDocument(text, file, Settings);
  const places = (value.permissions?.[level] ?? []).flatMap((each, at) => (each.trim() === rule ? at : []));
  if (places.length === 0) return text;
  return edited(text, file, (document) => {
    for (const at of places.toReversed()) document.deleteIn(["permissions", level, at]);
  });
}
