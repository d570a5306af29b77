import { link, open, readFile, unlink } from "node:fs/promises";
import { PRIVATE_FILE } from "../files/data-folder.ts";
import { systemCode } from "../files/system-code.ts";
import { JournalError, lockedError } from "./error.ts";
import { type Holder, holderState, newHolder, parseHolder } from "./holder.ts";

/** Maximum number of owners that one attempt to acquire a lock can lose to. */
const CHANGES_MAX = 100;
/** Maximum number of nested takeover locks. Each level is a process that died during a takeover. */
const DEPTH_MAX = 4;

/**
 * Acquire the lock of a journal, or verify that the lock with nonce `held` is still there. The lock is a file that marks
 * the journal as owned by one process, without a handle or a timer. It is created atomically, and exactly one process
 * takes over the lock of a dead process.
 *
 * @param journal The journal's path, for messages.
 * @returns the nonce of the lock
 * @throws JournalError `JOURNAL_LOCKED`
 */
export async function acquireLock(path: string, journal: string, held?: string): Promise<string> {
  if (held !== undefined && (await isHeldBy(path, held))) return held;
  return acquireFile(path, journal, 0);
}

/** Release the lock if it still has this nonce. */
export async function releaseLock(path: string, nonce: string): Promise<void> {
  if (await isHeldBy(path, nonce)) await removeFile(path);
}

async function acquireFile(path: string, journal: string, depth: number): Promise<string> {
  const self = await newHolder();
  for (let change = 0; change < CHANGES_MAX; change += 1) {
    if (await tryCreate(path, journal, self)) return self.nonce;
    const found = await readHolder(path);
    if (found === undefined) continue;
    // A network file system can create the link and lose the response.
    if (found !== "foreign" && found.nonce === self.nonce) return self.nonce;
    if (found === "foreign") throw lockedError(journal, foreignProblem(path));
    const state = await holderState(found);
    if (state !== "dead") throw lockedError(journal, heldProblem(path, found, self, state));
    if (depth >= DEPTH_MAX) throw lockedError(journal, takeoverProblem(path));
    await removeStale(path, journal, found, depth);
  }
  throw lockedError(journal, `${path} changed its owner ${CHANGES_MAX} times in the meantime. Try again.`);
}

/**
 * Remove the lock of a dead process, under a takeover lock named after it: so that no process removes the lock of its
 * successor. The takeover lock of a dead process is taken over in the same way.
 */
async function removeStale(path: string, journal: string, dead: Holder, depth: number): Promise<void> {
  const takeover = `${path}.after-${dead.nonce}`;
  const taken = await acquireFile(takeover, journal, depth + 1);
  try {
    await releaseLock(path, dead.nonce);
  } finally {
    await releaseLock(takeover, taken);
  }
}

/** Write the lock under a unique name, then link it to the name of the lock: only one process can. */
async function tryCreate(path: string, journal: string, self: Holder): Promise<boolean> {
  const draft = `${path}.${self.nonce}`;
  const handle = await open(draft, "wx", PRIVATE_FILE);
  try {
    try {
      await handle.writeFile(`${JSON.stringify(self)}\n`);
      // Otherwise a power failure can leave an empty lock, which no process may take over.
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await link(draft, path);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw LINK_UNSUPPORTED.has(systemCode(error)) ? linkError(journal, error) : error;
  } finally {
    await removeFile(draft);
  }
}

async function isHeldBy(path: string, nonce: string): Promise<boolean> {
  const found = await readHolder(path);
  return found !== undefined && found !== "foreign" && found.nonce === nonce;
}

async function readHolder(path: string): Promise<Holder | "foreign" | undefined> {
  try {
    return parseHolder(await readFile(path, "utf8")) ?? "foreign";
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    if (systemCode(error) === "EISDIR") return "foreign";
    throw error;
  }
}

async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
}

function heldProblem(path: string, holder: Holder, self: Holder, state: "alive" | "unknown"): string {
  const who = `process ${holder.pid} on host ${holder.host} since ${new Date(holder.since).toISOString()}`;
  if (state === "unknown")
    return `Locked by ${who}, which cannot be checked from here. Close the task there, or remove ${path} if that process has ended.`;
  if (holder.pid === self.pid)
    return `Locked by this process (${who}). Use the task that is open here, or close it first.`;
  const reused = holder.startedAt === undefined ? `, or remove ${path} if it is another program by now` : "";
  return `Locked by ${who}. Close the task there or terminate that process${reused}.`;
}

const foreignProblem = (path: string): string =>
  `${path} is not a lock of this program. Remove it if no program uses the task.`;

const takeoverProblem = (path: string): string =>
  `${DEPTH_MAX} processes in a row died while they took over its lock. Remove ${path} if no program uses the task.`;

/** Errors of file systems without hard links. */
const LINK_UNSUPPORTED: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);
const linkError = (journal: string, error: unknown): JournalError =>
  new JournalError(
    "JOURNAL_DENIED",
    journal,
    "The lock needs hard links, which the file system does not support. Use another disk.",
    { cause: error },
  );
