import { link, open, readFile, unlink } from "node:fs/promises";
import { PRIVATE_FILE, systemCode } from "../files/index.ts";
import { JournalError, lockedError } from "./error.ts";
import { type Holder, newHolder, parseHolder, stateOf } from "./holder.ts";

/** How often a lock may change hands under one attempt to take it. Each time, somebody else got it. */
const CHANGES_MAX = 100;
/** Locks on the right to remove a lock, one inside the other. Each level is a process that died removing. */
const DEPTH_MAX = 4;

/**
 * A file whose presence says that one process owns a journal. It holds no handle and no timer. It comes to its
 * name whole or not at all, and the lock of a dead process is taken over by exactly one of those who want it.
 */
export class FileLock {
  readonly #path: string;
  readonly #journal: string;
  #held: Holder | undefined;

  constructor(path: string, journal: string) {
    this.#path = path;
    this.#journal = journal;
  }

  /**
   * Takes the lock, or makes sure that it is still held.
   * @throws JournalError `JOURNAL_LOCKED`
   */
  async take(): Promise<void> {
    if (this.#held !== undefined && (await isHeldBy(this.#path, this.#held))) return;
    this.#held = undefined;
    this.#held = await takeFile(this.#path, this.#journal, 0);
  }

  /** Gives it up, where it is still this one's. */
  async release(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) await releaseFile(this.#path, held);
  }
}

async function takeFile(path: string, journal: string, depth: number): Promise<Holder> {
  const self = await newHolder();
  for (let change = 0; change < CHANGES_MAX; change += 1) {
    if (await putInPlace(path, journal, self)) return self;
    const found = await readHolder(path);
    if (found === undefined) continue;
    // A network disk can give the name and lose the answer.
    if (found !== "foreign" && found.nonce === self.nonce) return self;
    if (found === "foreign") throw lockedError(journal, foreign(path));
    const state = await stateOf(found);
    if (state !== "dead") throw lockedError(journal, held(path, found, self, state));
    if (depth >= DEPTH_MAX) throw lockedError(journal, unremovable(path));
    await removeDead(path, journal, found, depth);
  }
  throw lockedError(journal, `Others took and left ${path} ${CHANGES_MAX} times meanwhile. Try again.`);
}

/**
 * Whoever removes a dead lock holds the right to, under a name made of that lock: so nobody removes the lock
 * that the next one has put in its place. The right of a remover that died is taken over in the same way.
 */
async function removeDead(path: string, journal: string, dead: Holder, depth: number): Promise<void> {
  const right = `${path}.after-${dead.nonce}`;
  const taken = await takeFile(right, journal, depth + 1);
  try {
    if (await isHeldBy(path, dead)) await removeFile(path);
  } finally {
    await releaseFile(right, taken);
  }
}

/** Writes the lock under a name of its own, then gives it the lock's name, which only one can. */
async function putInPlace(path: string, journal: string, self: Holder): Promise<boolean> {
  const draft = `${path}.${self.nonce}`;
  const handle = await open(draft, "wx", PRIVATE_FILE);
  try {
    try {
      await handle.writeFile(`${JSON.stringify(self)}\n`);
      // Without it a power failure can leave the lock's name on an empty file, which nobody may take over.
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await link(draft, path);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw UNLINKABLE.has(systemCode(error)) ? unlinkable(journal, error) : error;
  } finally {
    await removeFile(draft);
  }
}

async function releaseFile(path: string, mine: Holder): Promise<void> {
  if (await isHeldBy(path, mine)) await removeFile(path);
}

async function isHeldBy(path: string, holder: Holder): Promise<boolean> {
  const found = await readHolder(path);
  return found !== undefined && found !== "foreign" && found.nonce === holder.nonce;
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

function held(path: string, holder: Holder, self: Holder, state: "alive" | "unknown"): string {
  const who = `process ${holder.pid} on host ${holder.host} since ${new Date(holder.since).toISOString()}`;
  if (state === "unknown")
    return (
      `It is held by ${who}. Whether that still runs can't be seen from here. ` +
      `Close the task there; if that process is dead, remove ${path}, then go on.`
    );
  if (holder.pid === self.pid)
    return `It is held by this very process (${who}). Use the task that is open here, or close it first.`;
  const other = holder.startedAt === undefined ? ` If it is another program by now, remove ${path}.` : "";
  return `It is held by ${who}. Close the task there or end that process, then go on.${other}`;
}

const foreign = (path: string): string =>
  `${path} is no lock that this program wrote. If nothing else uses the task, remove it, then go on.`;

const unremovable = (path: string): string =>
  `Processes that took over its lock died of it, ${DEPTH_MAX} in a row. If nothing uses the task, remove ${path}, then go on.`;

/** What a file system says that can't give a file a second name. */
const UNLINKABLE: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);
const unlinkable = (journal: string, error: unknown): JournalError =>
  new JournalError(
    "JOURNAL_DENIED",
    journal,
    "Its file system can't link files, which its lock needs. Keep it on another disk.",
    { cause: error },
  );
