import type { OwnFiles } from "../wire/own-files.ts";

/**
 * Format the files of a task that has its own: `not merged yet`, `merged by a person`, `declined by its parent`. Empty for files
 * that it did not change.
 */
export function formatOwnFiles({ state, by }: OwnFiles, parentId: string | undefined): string {
  switch (state) {
    case "unmerged":
      return "not merged yet";
    case "unchanged":
      return "";
    case "unreadable":
      return "files can't be read";
    case "merged":
    case "declined":
      return by === undefined ? state : `${state} by ${nameOf(by, parentId)}`;
  }
}

function nameOf(by: string | null, parentId: string | undefined): string {
  if (by === null) return "a person";
  return by === parentId ? "its parent" : `task ${by}`;
}
