import { writeFile } from "node:fs/promises";
import path from "node:path";
import { type CommandFolders, openTemporary } from "./command-folders.ts";

/**
 * Write a program that takes the arguments of a shell and starts one behind other words, and return its path. It is named
 * like the shell, so policies judge its command lines.
 */
export async function writeLauncher(folders: CommandFolders, words: readonly string[]): Promise<string> {
  const program = path.join(folders.programs, "sh");
  openTemporary(folders);
  await writeFile(program, `#!/bin/sh\nexec ${words.map(quoted).join(" ")} /bin/sh "$@"\n`, {
    mode: 0o755,
    flag: "wx",
  });
  return program;
}

/** A word of a POSIX shell. */
const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
