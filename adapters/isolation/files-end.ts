import { readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { replaceFile } from "../../store/files/replace-file.ts";
import { systemCode } from "../../store/files/system-code.ts";
import { ToolError } from "../../tools/error.ts";
import { type IsolationRecord, isolationFolder, removeRecord } from "./record.ts";

const endSchema = z.object({
  version: z.literal(1),
  parentId: z.string().exactOptional(),
  /** `unchanged`: the task ended without a change, and its files were removed. */
  end: z.enum(["merged", "declined", "unchanged"]),
  /** Milliseconds since 1970. */
  at: z.number().exactOptional(),
  /** The task that merged or declined. Null: a person. */
  by: z.string().nullable().exactOptional(),
  /** The paths that were merged or declined. */
  files: z.array(z.string()).exactOptional(),
});

/** The end of the files of a task, as the data folder keeps it. */
export type FilesEnd = Readonly<Omit<z.output<typeof endSchema>, "version">>;

/** The way in which the files of a task end. */
export type EndedFiles = Omit<FilesEnd, "parentId" | "at">;

const END = "end.json";

/** Replace the record of a task by the end of its files, for those who ask for them again. */
export async function endRecord(
  dataDir: string,
  { id, parentId }: Pick<IsolationRecord, "id" | "parentId">,
  end: EndedFiles & { readonly at: number },
): Promise<void> {
  const kept = { version: 1, ...(parentId !== undefined && { parentId }), ...end };
  // A process that ends between the two leaves the record, which decides.
  await replaceFile(path.join(isolationFolder(dataDir, id), END), `${JSON.stringify(kept)}\n`);
  await removeRecord(dataDir, id);
}

/** The last end of the files of a task. Undefined: none has ended. @throws ToolError `FAILED` if it is damaged */
export async function readEnd(dataDir: string, id: string): Promise<FilesEnd | undefined> {
  const file = path.join(isolationFolder(dataDir, id), END);
  try {
    const { version: _, ...end } = endSchema.parse(JSON.parse(await readFile(file, "utf8")));
    return end;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error))) return undefined;
    throw new ToolError("FAILED", `${file} can't be read: expected the end of a worktree. Remove it.`, {
      cause: error,
    });
  }
}
