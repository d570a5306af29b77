import { readdirSync, readFileSync } from "node:fs";

/** Environment variable that marks the processes of one command, also after their parents have exited. */
export const COMMAND_MARK = "SIGNALBOX_COMMAND";

/** How often the processes are listed again while they are killed: they may fork in the meantime. */
const KILL_ROUNDS = 5;

/** The flag of a kernel thread in `/proc/PID/stat`: no command starts one, and there may be hundreds. */
const KERNEL_THREAD = 0x20_0000;

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly isDead: boolean;
}

/** A command's processes: its process group, their descendants, and all with its mark. */
export interface ProcessTree {
  /** Whether any of them is alive. */
  isAlive(): boolean;
  signal(signal: "SIGTERM" | "SIGKILL"): void;
}

/**
 * The tree of the process group that `leader` leads. On Linux also the processes that left the group are found, by
 * their parents or by their mark; on other systems only the group.
 */
export function processTree(leader: number, mark: string): ProcessTree {
  const members = (): readonly number[] | undefined => {
    const all = listProcesses();
    return all === undefined ? undefined : membersOf(all, leader, mark);
  };
  return {
    isAlive() {
      const found = members();
      return found === undefined ? send(-leader, 0) : found.length > 0;
    },
    signal(signal) {
      send(-leader, signal);
      for (let round = 0; round < (signal === "SIGKILL" ? KILL_ROUNDS : 1); round += 1) {
        for (const pid of members() ?? []) send(pid, signal);
      }
    },
  };
}

function membersOf(all: readonly Process[], leader: number, mark: string): readonly number[] {
  const found = new Set<number>();
  const children = new Map<number, number[]>();
  for (const { pid, parent } of all) children.set(parent, [...(children.get(parent) ?? []), pid]);
  const add = (pid: number): void => {
    if (found.has(pid)) return;
    found.add(pid);
    for (const child of children.get(pid) ?? []) add(child);
  };
  for (const { pid, group } of all) if (pid === leader || group === leader || isMarked(pid, mark)) add(pid);
  const alive = all.filter(({ pid, isDead }) => found.has(pid) && !isDead && pid !== process.pid);
  return alive.map(({ pid }) => pid);
}

function isMarked(pid: number, mark: string): boolean {
  return read(`/proc/${pid}/environ`)?.split("\0").includes(`${COMMAND_MARK}=${mark}`) ?? false;
}

function listProcesses(): readonly Process[] | undefined {
  if (process.platform !== "linux") return undefined;
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const stat = read(`/proc/${name}/stat`);
    if (stat === undefined) return [];
    // The name is in parentheses and may contain any character.
    const [state, parent, group, , , , flags] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if ((Number(flags) & KERNEL_THREAD) !== 0) return [];
    const isDead = state === "Z" || state === "X";
    return [{ pid: Number(name), parent: Number(parent), group: Number(group), isDead }];
  });
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "latin1");
  } catch {
    // The process has ended in the meantime, or belongs to another user.
    return undefined;
  }
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    // The process has ended already.
    return false;
  }
}
