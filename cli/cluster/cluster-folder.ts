import { createHash } from "node:crypto";
import { chmod, stat } from "node:fs/promises";
import path from "node:path";
import { createFolder } from "../../store/files/create-folder.ts";
import { LOCK, PRIVATE_FOLDER } from "../../store/files/data-folder.ts";
import { JournalError } from "../../store/journal/error.ts";
import { journalHolder } from "../../store/journal/holder.ts";
import { acquireLock, releaseLock } from "../../store/journal/lock.ts";
import { CliError, errorMessage } from "../error.ts";

/** The folder of databases whose server can't open the data directory: root's is closed to others. */
const SYSTEM_FOLDER = "/var/lib/signalbox";
/** Root's folder: the user of the server can reach the folders in it. */
const REACHABLE_FOLDER = 0o711;

/** A folder that one process uses. */
export interface ClusterFolder {
  readonly path: string;
  release(): Promise<void>;
}

/** The folder of the database of a data directory, unless another one is given. */
export async function clusterFolder(dataDir: string, isOtherUser: boolean): Promise<string> {
  if (!isOtherUser || (await isOpenToOthers(dataDir))) return path.join(dataDir, "cluster");
  const name = createHash("sha256").update(dataDir).digest("hex").slice(0, 12);
  return path.join(SYSTEM_FOLDER, `cluster-${name}`);
}

/**
 * Create the folder unless it exists, and lock it. The lock of a process that has died is taken over.
 *
 * @param isOtherUser whether another user runs the server
 * @throws CliError if another process uses it, or the server can't open it
 */
export async function openClusterFolder(folder: string, isOtherUser: boolean): Promise<ClusterFolder> {
  try {
    createFolder(folder, isOtherUser ? REACHABLE_FOLDER : PRIVATE_FOLDER);
    if (isOtherUser) await chmod(folder, REACHABLE_FOLDER);
  } catch (error) {
    throw new CliError(
      `can't create the folder ${folder}: ${errorMessage(error)}. Choose another one with --folder.`,
      {
        cause: error,
      },
    );
  }
  if (isOtherUser && !(await isOpenToOthers(folder)))
    throw new CliError(
      `the user postgres, which runs the server in place of root, can't open ${folder}: a folder above it is closed to others. Choose another folder with --folder.`,
    );
  const lock = path.join(folder, LOCK);
  try {
    const nonce = await acquireLock(lock, folder);
    return { path: folder, release: () => releaseLock(lock, nonce) };
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    const holder = await journalHolder(folder);
    const who = holder === undefined ? "another process" : `process ${holder.pid} on host ${holder.host}`;
    throw new CliError(
      `can't use the cluster in ${folder}, which ${who} uses. End it, or choose another folder with --folder.`,
      { cause: error },
    );
  }
}

/** Whether another user of the system can open a folder: each folder above it lets them. */
async function isOpenToOthers(folder: string): Promise<boolean> {
  const parent = path.dirname(folder);
  const isOpen = ((await stat(folder)).mode & 0o001) !== 0;
  return isOpen && (parent === folder || (await isOpenToOthers(parent)));
}
