import { randomUUID } from "node:crypto";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { parseJson } from "../../machines/message/json.ts";
import { LOCK } from "../files/data-folder.ts";
import { systemCode } from "../files/system-code.ts";
import { toJournalError } from "./error.ts";

/** Content of a lock file. Process ids are reused, so it also has the start time and the boot id, on Linux. */
const holderSchema = z.object({
  pid: z.int().positive(),
  /** Start of the process, in clock ticks since boot. */
  startedAt: z.string().exactOptional(),
  /** Boot id of the system. */
  boot: z.string().exactOptional(),
  /** PID namespace: containers have their own. */
  pidSpace: z.string().exactOptional(),
  host: z.string(),
  /** Unique for each lock, also for locks of one process. */
  nonce: z.string().regex(/^[\w-]{1,64}$/),
  /** Time of the lock, in ms since the epoch. */
  since: z.number(),
});
export type Holder = z.output<typeof holderSchema>;

/** Parse the text of a lock file; undefined if this program did not write it. */
export function parseHolder(text: string): Holder | undefined {
  return holderSchema.safeParse(parseJson(text)).data;
}

/** Create the content of a new lock of this process. */
export async function newHolder(): Promise<Holder> {
  return {
    pid: process.pid,
    ...(await ownIdentity()),
    nonce: randomUUID(),
    since: Date.now(),
  };
}

/** State of a lock's process. `unknown`: it is on another host or in another container. */
export type HolderState = "alive" | "dead" | "unknown";

/** Check whether the process that holds a lock still runs. */
export async function holderState(holder: Holder): Promise<HolderState> {
  const self = await ownIdentity();
  if (holder.host !== self.host || (holder.boot === undefined) !== (self.boot === undefined))
    return "unknown";
  if (holder.boot !== self.boot) return "dead";
  if (holder.pidSpace !== self.pidSpace) return "unknown";
  if (!isRunning(holder.pid)) return "dead";
  const stat = await processStat(holder.pid);
  // Without a start time, a running process with this id counts as the holder.
  if (stat === undefined || holder.startedAt === undefined) return "alive";
  return stat.hasExited || stat.startedAt !== holder.startedAt ? "dead" : "alive";
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs as another user.
    return systemCode(error) !== "ESRCH";
  }
}

/** Indexes of fields in `/proc/PID/stat` after the name, which may contain spaces and brackets. */
const STATE = 0;
const THREADS = 17;
const STARTED = 19;

async function processStat(
  pid: number,
): Promise<{ readonly startedAt: string; readonly hasExited: boolean } | undefined> {
  const stat = await readProc(`/proc/${pid}/stat`);
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
  const startedAt = fields[STARTED];
  if (startedAt === undefined) return undefined;
  // A zombie. While it has other threads, they may still write.
  const hasExited = /^[ZX]$/.test(fields[STATE] ?? "") && Number(fields[THREADS]) <= 1;
  return { startedAt, hasExited };
}

type ProcessIdentity = Pick<Holder, "host" | "boot" | "pidSpace" | "startedAt">;
let identity: Promise<ProcessIdentity> | undefined;

/** The identity of this process, which never changes. */
function ownIdentity(): Promise<ProcessIdentity> {
  identity ??= readIdentity();
  return identity;
}

async function readIdentity(): Promise<ProcessIdentity> {
  const self = await processStat(process.pid);
  const boot = await readProc("/proc/sys/kernel/random/boot_id");
  const pidSpace = await readlink("/proc/self/ns/pid").catch(() => undefined);
  return {
    host: hostname(),
    ...(self !== undefined && { startedAt: self.startedAt }),
    ...(boot !== undefined && { boot: boot.trim() }),
    ...(pidSpace !== undefined && { pidSpace }),
  };
}

/** Read a file of `/proc`; undefined if there is none. */
const readProc = (path: string): Promise<string | undefined> => readFile(path, "utf8").catch(() => undefined);

/** The process that has a journal open. */
export interface JournalHolder {
  readonly pid: number;
  readonly host: string;
  /** Time of the lock, in ms since the epoch. */
  readonly since: number;
  /** False if it is on another host or in another container: then it may have ended. */
  readonly isSeen: boolean;
}

/**
 * Read the holder of the journal in a folder; undefined if there is none, or its process has ended. Takes no lock: the
 * holder can change at any time.
 *
 * @throws JournalError `JOURNAL_DENIED`, `JOURNAL_HANDLES`, `JOURNAL_IO`
 */
export async function journalHolder(dir: string): Promise<JournalHolder | undefined> {
  const path = join(dir, LOCK);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw toJournalError(path, error);
  }
  const holder = parseHolder(text);
  if (holder === undefined) return undefined;
  const state = await holderState(holder);
  const { pid, host, since } = holder;
  return state === "dead" ? undefined : { pid, host, since, isSeen: state === "alive" };
}
