import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { replaceFile } from "../../store/files/replace-file.ts";
import { systemCode } from "../../store/files/system-code.ts";
import { hashOf } from "../../tools/changed-file.ts";
import { ToolError } from "../../tools/error.ts";
import { fileWriteSchema } from "../../wire/journal/record.ts";
import { fileOnDisk } from "./file-on-disk.ts";
import type { MergedFile } from "./merged-file.ts";
import { isolationFolder } from "./record.ts";

const MERGE = "merge.json";

const mergeSchema = z.object({
  version: z.literal(1),
  /** The folder that the files are merged into. */
  workspace: z.string(),
  files: z.array(
    z.object({
      write: fileWriteSchema,
      taken: fileWriteSchema.pick({ before: true, lines: true }),
      changed: fileWriteSchema.pick({ before: true, lines: true }),
      by: z.string().nullable(),
    }),
  ),
});

/**
 * Write what a merge will change, before it changes a file. If its process ends before the merge is recorded, the merge that
 * repeats it reads here what the files were before.
 */
export async function writeMerge(
  dataDir: string,
  id: string,
  workspace: string,
  files: readonly MergedFile[],
): Promise<void> {
  const merge = { version: 1, workspace, files };
  await replaceFile(path.join(isolationFolder(dataDir, id), MERGE), `${JSON.stringify(merge)}\n`);
}

/** Remove the file of {@link writeMerge}. Its task may continue with new files, whose merges are others. */
export const removeMerge = (dataDir: string, id: string): Promise<void> =>
  rm(path.join(isolationFolder(dataDir, id), MERGE), { force: true });

/** The files that an earlier merge into the workspace wrote, if it ended before they were recorded. @throws ToolError `FAILED` */
export async function readMerge(
  dataDir: string,
  id: string,
  workspace: string,
): Promise<readonly MergedFile[]> {
  const merge = await readMergeFile(path.join(isolationFolder(dataDir, id), MERGE));
  if (merge?.workspace !== workspace) return [];
  const written: MergedFile[] = [];
  for (const file of merge.files) {
    const now = await fileOnDisk(workspace, file.write.path);
    if (hashOf(now === null ? null : await now.read()) === file.write.after) written.push(file);
  }
  return written;
}

async function readMergeFile(file: string): Promise<z.output<typeof mergeSchema> | undefined> {
  try {
    return mergeSchema.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw new ToolError(
      "FAILED",
      `${file} can't be read: expected what a merge changed before its process ended. Remove it, then merge again: the ledger will not have what that merge changed.`,
      { cause: error },
    );
  }
}
