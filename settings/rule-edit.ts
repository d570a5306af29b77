import type { Stats } from "node:fs";
import { chmod, lstat, mkdir } from "node:fs/promises";
import path from "node:path";
import type { Document } from "yaml";
import type { PermissionLevel } from "../machines/tool-call/index.ts";
import { replaceFile, systemCode } from "../store/files/index.ts";
import { parseDocument } from "./document.ts";
import { SettingsError } from "./error.ts";
import { Settings } from "./schema.ts";
import { readTextFile } from "./text-file.ts";

/** The text of a settings file before and after a change of its rules. The same: it was not written. */
export interface RuleChange {
  /** Undefined: there was no file. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/**
 * Add a rule to a settings file, which is created if there is none. Comments and the order of the file are kept. A rule
 * that the file has already is not added again.
 *
 * @throws SettingsError `bad_settings` for a file or a rule that is not valid, `unreadable_settings` also for a symlink
 * @example
 * ```ts
 * import { addRule } from "signalbox/settings";
 * const keep = (workspace: string, rule: string) =>
 *   addRule(`${workspace}/.signalbox/settings.yaml`, "allow", rule);
 * ```
 */
export function addRule(file: string, level: PermissionLevel, rule: string): Promise<RuleChange> {
  return change(file, (text) => withRule(text, file, level, rule.trim()));
}

/**
 * Remove a rule from a settings file, wherever the list of its level has it. Comments and the order of the file are kept.
 *
 * @throws SettingsError `bad_settings`, `unreadable_settings` also for a symlink
 */
export function removeRule(file: string, level: PermissionLevel, rule: string): Promise<RuleChange> {
  return change(file, async (text) => text && withoutRule(text, file, level, rule.trim()));
}

async function change(
  file: string,
  edit: (text: string | undefined) => Promise<string | undefined>,
): Promise<RuleChange> {
  const folder = path.dirname(file);
  // Replacing a symlink, or a file behind one, would change something else than what is named.
  for (const each of [folder, file]) await assertNoSymlink(each);
  const before = await readTextFile(file);
  const after = await edit(before);
  if (after === undefined || after === before) return { before, after };
  // Never write what would be rejected when it is read.
  await parseDocument(after, file, Settings);
  await mkdir(folder, { recursive: true });
  const mode = (await statsOf(file))?.mode;
  await replaceFile(file, after);
  if (mode !== undefined) await chmod(file, mode & 0o777);
  return { before, after };
}

async function assertNoSymlink(file: string): Promise<void> {
  if ((await statsOf(file))?.isSymbolicLink() !== true) return;
  throw new SettingsError(
    "unreadable_settings",
    `${file}: expected no symlink. Replace it by what it leads to, or change the rule there.`,
  );
}

async function statsOf(file: string): Promise<Stats | undefined> {
  try {
    return await lstat(file);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error))) return undefined;
    throw error;
  }
}

async function withRule(
  text: string | undefined,
  file: string,
  level: PermissionLevel,
  rule: string,
): Promise<string> {
  const source = text ?? "version: 1\n";
  const { value } = await parseDocument(source, file, Settings);
  const rules = value.permissions?.[level];
  if (rules?.some((each) => each.trim() === rule) === true) return source;
  return edited(source, (document) => {
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
  return edited(text, (document) => {
    for (const at of places.toReversed()) document.deleteIn(["permissions", level, at]);
  });
}

/** The text with a change of its document, in the style that it has. */
async function edited(text: string, edit: (document: Document) => void): Promise<string> {
  const yaml = await import("yaml");
  const document = yaml.parseDocument(text, { logLevel: "error" });
  edit(document);
  const isJson = text.trimStart().startsWith("{");
  const written = document.toString({
    lineWidth: 0,
    flowCollectionPadding: /[[{] /.test(text),
    ...(isJson && { defaultKeyType: "QUOTE_DOUBLE", defaultStringType: "QUOTE_DOUBLE" }),
  });
  return text.includes("\r\n") ? written.replaceAll("\n", "\r\n") : written;
}
