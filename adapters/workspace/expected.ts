import type { FileVersion } from "../../ports/workspace.ts";
import { ToolError } from "../../tools/error.ts";
import { fileChanged, fileVersion, NO_FILE } from "../../tools/file-version.ts";
import type { Confinement } from "./confinement.ts";
import { type ReadOptions, readInside } from "./read-inside.ts";
import type { IsDenied } from "./rules.ts";

/** A file, and the version that it must have; undefined: any. */
export interface ExpectedFile extends ReadOptions {
  readonly expects: FileVersion | undefined;
}

/** @throws ToolError `CHANGED` if the file has another version */
export async function assertExpected(
  confinement: Confinement,
  isDenied: IsDenied,
  { expects, ...file }: ExpectedFile,
): Promise<void> {
  if (expects === undefined) return;
  const found = await readInside(confinement, isDenied, file).then(fileVersion, versionOfUnread);
  if (found !== expects) throw fileChanged(`'${file.named}'`);
}

/** The version of a file that can't be read; undefined: it is too large to be the expected one. */
function versionOfUnread(error: unknown): FileVersion | undefined {
  if (error instanceof ToolError && error.code === "NOT_FOUND") return NO_FILE;
  if (error instanceof ToolError && error.code === "TOO_LARGE") return undefined;
  throw error;
}
