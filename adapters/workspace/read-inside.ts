import { ToolError } from "../../tools/error.ts";
import { type Confinement, fromRoot, isInside, realPathOf } from "./confinement.ts";
import type { EditorFiles } from "./editor-files.ts";
import { openInside } from "./open-path.ts";
import { readOpen, tooLarge } from "./read.ts";
import { assertAllowed, type IsDenied } from "./rules.ts";

export interface ReadOptions {
  readonly absolute: string;
  /** The path as the call gave it, for messages. */
  readonly named: string;
  readonly maxBytes: number;
  /** The editor of the workspace, whose unsaved text is read in place of the file on disk. */
  readonly editor: EditorFiles | undefined;
}

/** Reads a file after its path is checked (L9). */
export async function readInside(
  confinement: Confinement,
  isDenied: IsDenied,
  options: ReadOptions,
): Promise<Uint8Array> {
  const { absolute, named, maxBytes, editor } = options;
  try {
    await using file = await openInside(confinement, absolute, named);
    const relative = fromRoot(confinement.root, file.real);
    assertAllowed(isDenied, relative, named);
    const isEditable = editor !== undefined && (await file.handle.stat()).isFile();
    const unsaved = isEditable ? await readUnsaved(editor, relative, options) : undefined;
    return unsaved ?? (await readOpen(confinement, file, named, maxBytes));
  } catch (error) {
    const isAbsent = error instanceof ToolError && error.code === "NOT_FOUND";
    const unsaved =
      isAbsent && editor !== undefined && (await readNew(confinement, isDenied, editor, options));
    if (unsaved) return unsaved;
    throw error;
  }
}

/** A file that the editor has and the disk has not. */
async function readNew(
  { root }: Confinement,
  isDenied: IsDenied,
  editor: EditorFiles,
  options: ReadOptions,
): Promise<Uint8Array | undefined> {
  const real = await realPathOf(options.absolute);
  if (real === undefined || !isInside(root, real) || isDenied(fromRoot(root, real))) return undefined;
  return readUnsaved(editor, fromRoot(root, real), options);
}

async function readUnsaved(
  editor: EditorFiles,
  relative: string,
  { named, maxBytes }: ReadOptions,
): Promise<Uint8Array | undefined> {
  const text = await editor.read(relative, named);
  if (text === undefined) return undefined;
  const bytes = Buffer.from(text);
  if (bytes.length > maxBytes) throw tooLarge(named, bytes.length, maxBytes);
  return bytes;
}
