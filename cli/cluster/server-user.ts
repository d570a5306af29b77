import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { CliError } from "../error.ts";

const NAME = "postgres";

/** The user that runs a PostgreSQL server. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The user of the system that runs the server in place of root, as which a server refuses to run. Undefined: the user of this process.
 *
 * @throws CliError if root has no such user
 */
export async function serverUser(): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const id = async (option: string): Promise<number> =>
    Number((await promisify(execFile)("id", [option, NAME])).stdout);
  try {
    return { uid: await id("-u"), gid: await id("-g") };
  } catch (cause) {
    throw new CliError(
      `PostgreSQL can't run as root, and there is no user ${NAME} that it could run as. Start the command as another user, or create one with \`useradd --system ${NAME}\`.`,
      { cause },
    );
  }
}
