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
  TMPDIR: path.join(home, "tmp"),
  LANG: "C.UTF-8",
});
