import { randomUUID } from "node:crypto";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { z } from "zod";
import { parseJson } from "../../machines/message/index.ts";
import { systemCode } from "../files/index.ts";

/**
 * Who holds a lock. A process id comes back when its process is gone, so when the process began and since
 * which boot stand beside it, where the system tells (Linux).
 */
const holderSchema = z.object({
  pid: z.int().positive(),
  /** Clock ticks from the boot of the system to the start of the process. */
  startedAt: z.string().exactOptional(),
  /** The boot of the system. */
  boot: z.string().exactOptional(),
  /** Where its process id means something: containers have numbers of their own. */
  pidSpace: z.string().exactOptional(),
  host: z.string(),
  /** Tells this lock from every other, also from one that the same process takes later. */
  nonce: z.string().regex(/^[\w-]{1,64}$/),
  /** When it took the lock: milliseconds since 1970. */
  since: z.number(),
});
export type Holder = z.output<typeof holderSchema>;

/** The holder that stands in a lock's text, or undefined where that is no lock of ours. */
export function parseHolder(text: string): Holder | undefined {
  return holderSchema.safeParse(parseJson(text)).data;
}

/** This process, as the holder of a new lock. */
export async function newHolder(): Promise<Holder> {
  return {
    pid: process.pid,
    ...(await surroundings()),
    nonce: randomUUID(),
    since: Date.now(),
  };
}

/** `unknown`: it is where this process can't look. */
export type HolderState = "alive" | "dead" | "unknown";

/** Whether the process that took a lock still runs. */
export async function stateOf(holder: Holder): Promise<HolderState> {
  const here = await surroundings();
  if (holder.host !== here.host || (holder.boot === undefined) !== (here.boot === undefined))
    return "unknown";
  if (holder.boot !== here.boot) return "dead";
  if (holder.pidSpace !== here.pidSpace) return "unknown";
  if (!isRunning(holder.pid)) return "dead";
  const found = await statOf(holder.pid);
  // Where the system doesn't tell, a process of that number is taken for the holder.
  if (found === undefined || holder.startedAt === undefined) return "alive";
  return found.isOver || found.startedAt !== holder.startedAt ? "dead" : "alive";
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as another user.
    return systemCode(error) !== "ESRCH";
  }
}

/** The fields of `/proc/PID/stat` behind the name, which may hold spaces and brackets itself. */
const STATE = 0;
const THREADS = 17;
const STARTED = 19;

async function statOf(
  pid: number,
): Promise<{ readonly startedAt: string; readonly isOver: boolean } | undefined> {
  const stat = await readSystem(`/proc/${pid}/stat`);
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
  const startedAt = fields[STARTED];
  if (startedAt === undefined) return undefined;
  // Ended, and nobody has asked how. Its other threads may be in the middle of a write.
  const isOver = /^[ZX]$/.test(fields[STATE] ?? "") && Number(fields[THREADS]) <= 1;
  return { startedAt, isOver };
}

type Surroundings = Pick<Holder, "host" | "boot" | "pidSpace" | "startedAt">;
let known: Promise<Surroundings> | undefined;

/** What stays the same as long as this process runs. */
function surroundings(): Promise<Surroundings> {
  known ??= lookAround();
  return known;
}

async function lookAround(): Promise<Surroundings> {
  const self = await statOf(process.pid);
  const boot = await readSystem("/proc/sys/kernel/random/boot_id");
  const pidSpace = await readlink("/proc/self/ns/pid").catch(() => undefined);
  return {
    host: hostname(),
    ...(self !== undefined && { startedAt: self.startedAt }),
    ...(boot !== undefined && { boot: boot.trim() }),
    ...(pidSpace !== undefined && { pidSpace }),
  };
}

/** A file of `/proc`, or undefined where there is none. */
const readSystem = (path: string): Promise<string | undefined> =>
  readFile(path, "utf8").catch(() => undefined);
