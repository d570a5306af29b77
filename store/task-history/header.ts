import type { HeaderRecord } from "../../wire/journal/record.ts";
import { systemCode } from "../files/system-code.ts";
import { readFileEnds } from "./file-ends.ts";
import { isTaskId, taskFolder } from "./task-folder.ts";

/** The header of a task's journal; undefined if there is no such task or its header is invalid. */
export function headerOf(dataDir: string, task: string): HeaderRecord | undefined {
  if (!isTaskId(task)) return undefined;
  try {
    return readFileEnds(taskFolder(dataDir, task)).ends.header;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
