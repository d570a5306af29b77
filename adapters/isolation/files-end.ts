import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { replaceFile } from "../../store/files/replace-file.ts";
import { systemCode } from "../../store/files/system-code.ts";
import { ToolError } from "../../tools/error.ts";
import { type IsolationRecord, isolationFolder, removeRecord } from "./record.ts";

/** Ends of the files of a subtask. `unchanged`: it ended without a change, and they were removed. */
const FILES_ENDS = ["merged", "declined", "unchanged"] as const;
export type FilesEnd = (typeof FILES_ENDS)[number];

const endSchema = z.object({ version: z.literal(1), parentId: z.string(), end: z.enum(FILES_ENDS) });

const END = "end.json";

/** Replace the record of a subtask by the end of its files, for a parent that asks for them again. */
export async function endRecord(
  dataDir: string,
  { id, parentId }: IsolationRecord,
  end: FilesEnd,
): Promise<void> {
  const folder = isolationFolder(dataDir, id);
  if (parentId === undefined) return rm(folder, { recursive: true, force: true });
  // A process that ends between the two leaves the record, which decides.
  await replaceFile(path.join(folder, END), `${JSON.stringify({ version: 1, parentId, end })}\n`);
  await removeRecord(dataDir, id);
}

/** The end of the files of a subtask of this parent. Undefined: they have not ended. @throws ToolError `FAILED` if it is damaged */
export async function readEnd(dataDir: string, id: string, parentId: string): Promise<FilesEnd | undefined> {
  const file = path.join(isolationFolder(dataDir, id), END);
  try {
    const ended = endSchema.parse(JSON.parse(await readFile(file, "utf8")));
    return ended.parentId === parentId ? ended.end : undefined;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error))) return undefined;
    throw new ToolError("FAILED", `${file} can't be read: expected the end of a worktree. Remove it.`, {
      cause: error,
    });
  }
}
