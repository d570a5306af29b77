import { watch } from "node:fs";
import { basename, dirname } from "node:path";
import type { Clock } from "../../ports/clock.ts";
import { JournalError } from "../journal/error.ts";
import { acquireLock, releaseLock } from "../journal/lock.ts";
import { LedgerError } from "./error.ts";

export interface LockOptions {
  readonly clock: Clock;
  /** Maximum time to wait for another process, in milliseconds. Default 10,000. */
  readonly lockWaitMs?: number;
}

/**
 * Do `work` under a lock file that processes share. Waits for the one that holds it.
 *
 * @throws LedgerError `LEDGER_LOCKED` after `lockWaitMs`
 */
export async function withLock<T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  const nonce = await acquire(path, options);
  try {
    return await work();
  } finally {
    await releaseLock(path, nonce);
  }
}

async function acquire(path: string, { clock, lockWaitMs = 10_000 }: LockOptions): Promise<string> {
  const deadline = clock.now() + lockWaitMs;
  const first = await attempt(path);
  if (typeof first === "string") return first;
  // The watcher precedes the attempt, so that no release is missed between them.
  for (;;) {
    using release = watchChanges(path, clock, deadline);
    const result = await attempt(path);
    if (typeof result === "string") return result;
    if ((await release.changed) === "deadline") throw lockedError(path, lockWaitMs, result);
  }
}

async function attempt(path: string): Promise<string | JournalError> {
  try {
    return await acquireLock(path, path);
  } catch (error) {
    if (error instanceof JournalError && error.code === "JOURNAL_LOCKED") return error;
    throw error;
  }
}

interface Changes extends Disposable {
  readonly changed: Promise<"changed" | "deadline">;
}

/** Resolves when the lock file is created or removed, or at the deadline. */
function watchChanges(path: string, clock: Clock, deadline: number): Changes {
  const watcher = watch(dirname(path));
  let cancel = (): void => {};
  const changed = new Promise<"changed" | "deadline">((resolve, reject) => {
    watcher.on("change", (_, name) => {
      if (name === null || name === basename(path)) resolve("changed");
    });
    watcher.on("error", reject);
    cancel = clock.after(Math.max(0, deadline - clock.now()), () => resolve("deadline"));
  });
  // It may reject after the lock was acquired.
  changed.catch(() => undefined);
  return {
    changed,
    [Symbol.dispose]: () => {
      cancel();
      watcher.close();
    },
  };
}

const lockedError = (path: string, waitMs: number, cause: JournalError): LedgerError =>
  new LedgerError(
    "LEDGER_LOCKED",
    `The ledger stayed locked for ${waitMs} ms. Remove ${path} if no process writes to the ledger. (${cause.message})`,
    { cause },
  );
