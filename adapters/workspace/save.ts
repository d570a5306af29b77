import { lstat } from "node:fs/promises";
import path from "node:path";
import { ToolError } from "../../tools/error.ts";
import { decodeText, withoutMark } from "../../tools/text-encoding.ts";
import { type Confinement, fromRoot } from "./confinement.ts";
import type { EditorFiles } from "./editor-files.ts";
import { notAFile, type OpenPath, openInside, outside } from "./open-path.ts";
import { readOpen } from "./read.ts";

/** A file to save, in a folder that is checked and held open. */
export interface CheckedFile {
  readonly folder: OpenPath;
  readonly name: string;
  /** The path as the call gave it, for messages. */
  readonly named: string;
}

/** Bytes of a byte order mark in UTF-8. */
const MARK_BYTES = 3;

/**
 * Saves a text through the editor, and checks that the file on disk is still inside and has it. The editor writes by path:
 * a symlink that is changed twice in the meantime is not detected (L9).
 *
 * @returns whether the editor changed the text, for example by formatting
 * @throws ToolError `FAILED` if the file was not written
 */
export async function saveChecked(
  confinement: Confinement,
  editor: EditorFiles,
  text: string,
  { folder, name, named }: CheckedFile,
): Promise<boolean> {
  const real = path.join(folder.real, name);
  const before = await stampOf(path.join(folder.via, name));
  // The editor knows the encoding of the file, and writes its byte order mark.
  const sent = withoutMark(text.toWellFormed());
  await editor.save(fromRoot(confinement.root, real), named, sent);
  await using file = await openInside(confinement, real, named).catch((error: unknown) => {
    throw error instanceof ToolError && error.code === "NOT_FOUND" ? notSaved(named) : error;
  });
  if (file.real !== real) throw outside(confinement, named);
  const stat = await file.handle.stat({ bigint: true });
  if (!stat.isFile()) throw notAFile(named);
  if (await hasText(confinement, file, named, sent)) return false;
  if (before !== undefined && before === stampFrom(stat)) throw notSaved(named);
  return true;
}

async function hasText(
  confinement: Confinement,
  file: OpenPath,
  named: string,
  text: string,
): Promise<boolean> {
  // The file may be in UTF-16.
  const mostBytes = Math.max(Buffer.byteLength(text), 2 * text.length) + MARK_BYTES;
  if ((await file.handle.stat()).size > mostBytes) return false;
  const found = decodeText(await readOpen(confinement, file, named, mostBytes));
  return found !== undefined && withoutMark(found) === text;
}

interface Stamp {
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

const stampFrom = ({ ino, size, mtimeNs, ctimeNs }: Stamp): string => [ino, size, mtimeNs, ctimeNs].join(" ");

/** Undefined: there is no such file. */
const stampOf = (file: string): Promise<string | undefined> =>
  lstat(file, { bigint: true }).then(stampFrom, () => undefined);

function notSaved(named: string): ToolError {
  return new ToolError(
    "FAILED",
    `The editor reported that it saved '${named}', but the file on disk did not change: expected the new content. Ask the user to save it.`,
  );
}
