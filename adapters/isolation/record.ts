import { existsSync, readFileSync } from "node:fs";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { PRIVATE_FOLDER, worktreesRoot } from "../../store/files/data-folder.ts";
import { replaceFile } from "../../store/files/replace-file.ts";
import { systemCode } from "../../store/files/system-code.ts";
import { ToolError } from "../../tools/error.ts";

const common = {
  version: z.literal(1),
  /** The task that works there. */
  id: z.string(),
  parentId: z.string().optional(),
  /** Milliseconds since 1970. */
  createdAt: z.number(),
  /** Real path of the workspace that the files are from, and that they are merged into. */
  source: z.string(),
  /** The folder of the files. */
  folder: z.string(),
  /** The folder that the task works in: `folder`, or one in it. */
  workspace: z.string(),
  /** `creating`: its process ended before all files were there. */
  state: z.enum(["creating", "ready"]),
};

const recordSchema = z.discriminatedUnion("kind", [
  z.object({
    ...common,
    kind: z.literal("worktree"),
    /** Top folder of the working tree that the source is in. */
    repository: z.string(),
    /** The folder of the repository itself, which all of its working trees share. */
    gitDir: z.string(),
    branch: z.string(),
    /** The commit with the files of the source at first. */
    base: z.string(),
  }),
  z.object({
    ...common,
    kind: z.literal("copy"),
    /** The folder with the files as they were at first. */
    original: z.string(),
  }),
]);

/** A worktree or copy in which a task works, as the data folder has it. */
export type IsolationRecord = Readonly<z.output<typeof recordSchema>>;
export type WorktreeRecord = Extract<IsolationRecord, { kind: "worktree" }>;
export type CopyRecord = Extract<IsolationRecord, { kind: "copy" }>;

const RECORD = "record.json";

/** @throws ToolError `NOT_FOUND` if the files of a task were removed */
export function assertHasFiles({ id, kind, folder }: IsolationRecord): void {
  if (existsSync(folder)) return;
  throw new ToolError(
    "NOT_FOUND",
    `The ${kind} ${folder} of task ${id} was removed by somebody: expected its files. Decline or drop it: nothing is left to merge.`,
  );
}

/** The folder of the files of a task, with the record about them. */
export const isolationFolder = (dataDir: string, id: string): string => path.join(worktreesRoot(dataDir), id);

/** Write a record. It is durable before a file is created and after all are there. */
export async function writeRecord(dataDir: string, record: IsolationRecord): Promise<void> {
  const folder = isolationFolder(dataDir, record.id);
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
  await replaceFile(path.join(folder, RECORD), `${JSON.stringify(record)}\n`);
}

/** The record of a task; undefined for one without files of its own. @throws ToolError `FAILED` for a damaged record */
export async function readRecord(dataDir: string, id: string): Promise<IsolationRecord | undefined> {
  const file = recordFile(dataDir, id);
  try {
    return parseRecord(await readFile(file, "utf8"));
  } catch (error) {
    return noRecord(file, error);
  }
}

/** The same as {@link readRecord}, synchronously. @throws ToolError `FAILED` for a damaged record */
export function readRecordSync(dataDir: string, id: string): IsolationRecord | undefined {
  const file = recordFile(dataDir, id);
  try {
    return parseRecord(readFileSync(file, "utf8"));
  } catch (error) {
    return noRecord(file, error);
  }
}

const recordFile = (dataDir: string, id: string): string => path.join(isolationFolder(dataDir, id), RECORD);

const parseRecord = (text: string): IsolationRecord => recordSchema.parse(JSON.parse(text));

function noRecord(file: string, error: unknown): undefined {
  if (["ENOENT", "ENOTDIR"].includes(systemCode(error))) return undefined;
  throw new ToolError(
    "FAILED",
    `${file} can't be read: expected the record of a worktree. Its files are beside it: save what you need, then remove the folder.`,
    { cause: error },
  );
}

/** Remove the record of a task alone, and its folder if nothing else is in it. */
export async function removeRecord(dataDir: string, id: string): Promise<void> {
  const folder = isolationFolder(dataDir, id);
  await rm(path.join(folder, RECORD), { force: true });
  if (existsSync(folder) && (await readdir(folder)).length === 0)
    await rm(folder, { recursive: true, force: true });
}

/** The ids of all tasks that have a record, or had one. */
export async function recordedIds(dataDir: string): Promise<readonly string[]> {
  try {
    return (await readdir(worktreesRoot(dataDir))).sort();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}
