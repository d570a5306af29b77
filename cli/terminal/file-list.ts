const COMMENT = "# Delete the line of each file that may not be read.";

/** Whether each file may be read, by its path; or why the list is invalid. */
export type FileList =
  | { readonly kind: "valid"; readonly files: Readonly<Record<string, boolean>> }
  | { readonly kind: "invalid"; readonly problem: string };

/** Format the list of files that a call reads, for a person who deletes lines of it. */
export const formatFileList = (paths: readonly string[]): string =>
  [COMMENT, ...paths.map(lineOf)].map((line) => `${line}\n`).join("");

/** Parse what a person left of the list of these files. */
export function parseFileList(text: string, paths: readonly string[]): FileList {
  const lines = new Set(text.split(/\r?\n/).filter((line) => line.trim() !== "" && !line.startsWith("#")));
  const files = Object.fromEntries(paths.map((path) => [path, lines.delete(lineOf(path))]));
  const [unknown] = lines;
  return unknown === undefined
    ? { kind: "valid", files }
    : {
        kind: "invalid",
        problem: `The call does not read '${unknown}': expected lines of the list, or fewer.`,
      };
}

/** A path that is no line, or looks like a comment, is quoted. */
const lineOf = (path: string): string => (/^[#"]|[\p{Cc}]|^\s*$/u.test(path) ? JSON.stringify(path) : path);
