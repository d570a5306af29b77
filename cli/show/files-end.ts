import type { FilesEnd } from "../../adapters/isolation/files-end.ts";
import { formatTime } from "./format.ts";

/** Format the end of the files of a task: `were merged by a person at 2026-11-22 14:05`. */
export function formatFilesEnd({ end, by, at }: FilesEnd): string {
  if (end === "unchanged") return "were removed, since it changed none";
  const who = by === undefined ? "" : ` by ${by === null ? "a person" : `task ${by}`}`;
  const when = at === undefined ? "" : ` at ${formatTime(at)}`;
  return `were ${end === "merged" ? "merged" : "dropped"}${who}${when}`;
}
