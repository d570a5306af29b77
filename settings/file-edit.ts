import type { Stats } from "node:fs";
import { lstat, mkdir } from "node:fs/promises";
import path from "node:path";
import type { Document } from "yaml";
import { isWritable, replaceContent } from "../store/files/replace-content.ts";
import { replaceFile } from "../store/files/replace-file.ts";
import { systemCode } from "../store/files/system-code.ts";
import { parseDocument } from "./document.ts";
import { SettingsError } from "./error.ts";
import { withoutJsonComments } from "./json-comments.ts";
import { Settings } from "./schema.ts";
import { readTextFile } from "./text-file.ts";

/** The text of a settings file before and after a change. The same: it was not written. */
export interface SettingsChange {
  /** Undefined: there was no file. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/**
 * Change a settings file, which is created if there is none.
 *
 * @param edit returns the new text; undefined leaves the file as it is
 * @throws SettingsError `SETTINGS_INVALID` if it is not valid afterwards, `SETTINGS_UNREADABLE` also for a symlink
 */
export async function changeSettings(
  file: string,
  edit: (text: string | undefined) => Promise<string | undefined>,
): Promise<SettingsChange> {
  const folder = path.dirname(file);
  // Replacing a symlink, or a file behind one, would change something else than what is named.
  for (const each of [folder, file]) await assertNoSymlink(each);
  const before = await readTextFile(file);
  const after = await edit(before);
  if (after === undefined || after === before) return { before, after };
  // Never write what would be rejected when it is read.
  await parseDocument(after, file, Settings);
  await mkdir(folder, { recursive: true });
  const target = await statsOf(file);
  if (target === undefined) await replaceFile(file, after);
  else if (await isWritable(file)) await replaceContent(file, Buffer.from(after), { target });
  else
    throw new SettingsError(
      "SETTINGS_UNREADABLE",
      `${file}: expected a file that may be written. Change its permissions.`,
    );
  return { before, after };
}

async function assertNoSymlink(file: string): Promise<void> {
  if ((await statsOf(file))?.isSymbolicLink() !== true) return;
  throw new SettingsError(
    "SETTINGS_UNREADABLE",
    `${file}: expected no symlink. Replace it by what it leads to, or change the file there.`,
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

/** The text of a new settings file. */
export const NEW_SETTINGS = "version: 1\n";

/**
 * The text with a change of its document, in the style that it has.
 *
 * @throws SettingsError `SETTINGS_INVALID` for JSON with comments, which would be lost
 */
export async function edited(
  text: string,
  file: string,
  edit: (document: Document) => void,
): Promise<string> {
  if (withoutJsonComments(text, file) !== undefined)
    throw new SettingsError(
      "SETTINGS_INVALID",
      `${file}: expected YAML, or JSON without comments: they would be lost. Make the change by hand.`,
    );
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
