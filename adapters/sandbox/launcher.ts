import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { type CommandFolders, commandEnv } from "./command-folders.ts";

/**
 * Write a program that takes the arguments of a shell and starts one behind other words, and return its path. It is named
 * like the shell, so policies judge its command lines.
 */
export async function writeLauncher(folders: CommandFolders, words: readonly string[]): Promise<string> {
  const program = path.join(folders.programs, "sh");
  await mkdir(path.join(folders.home, "tmp"), { recursive: true });
  await writeFile(program, `#!/bin/sh\nexec ${words.map(quoted).join(" ")} /bin/sh "$@"\n`, {
    mode: 0o755,
    flag: "wx",
  });
  return program;
}

/** The words that clear the environment. */
export const envWords = (folders: CommandFolders): readonly string[] => [
  "env",
  "-i",
  ...Object.entries(commandEnv(folders)).map(([name, value]) => `${name}=${value}`),
];

/** A word of a POSIX shell. */
const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
