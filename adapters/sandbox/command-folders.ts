import { mkdirSync } from "node:fs";
import path from "node:path";

/** The folders of the commands of one run. All exist. */
export interface CommandFolders {
  /** The folder that they work in, and may change. */
  readonly workspace: string;
  /** Their home, with their temporary files. They may change it. */
  readonly home: string;
  /** The folder of the program that starts them. They can't change it. */
  readonly programs: string;
}

/** The environment of commands: nothing of this process but the paths of programs. */
export const commandEnv = ({ home }: CommandFolders): Readonly<Record<string, string>> => ({
  PATH: process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin",
  HOME: home,
  TMPDIR: temporaryIn(home),
  LANG: "C.UTF-8",
});

const temporaryIn = (home: string): string => path.join(home, "tmp");

/** Create the folder for the temporary files of commands. */
export function openTemporary({ home }: CommandFolders): string {
  const folder = temporaryIn(home);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** The program that clears the environment. */
export const ENV = "/usr/bin/env";

/** Its arguments before the program that it starts. */
export const envArguments = (folders: CommandFolders): readonly string[] => [
  "-i",
  ...Object.entries(commandEnv(folders)).map(([name, value]) => `${name}=${value}`),
];
