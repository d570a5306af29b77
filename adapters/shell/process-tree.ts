import { readdirSync, readFileSync } from "node:fs";

/** Environment variable that marks the processes of one command, also after their parents have exited. */
export const COMMAND_MARK = "SIGNALBOX_COMMAND";

/** How often the processes are listed again while they are killed: they may fork in the meantime. */
const KILL_ROUNDS = 5;

/** The flag of a kernel thread in `/proc/PID/stat`: no command starts one, and there may be hundreds. */
const KERNEL_THREAD = 0x20_0000;

/** A process, as a listing found it. */
class Process {
  readonly pid: number;
  readonly group: number;
  readonly isDead: boolean;
  readonly children: Process[] = [];
  #mark: string | undefined;

  constructor(pid: number, { group, isDead }: Pick<Process, "group" | "isDead">) {
    this.pid = pid;
    this.group = group;
    this.isDead = isDead;
  }

  /** The mark of its command. Empty without one. */
  get mark(): string {
    this.#mark ??= markIn(read(`/proc/${this.pid}/environ`) ?? "");
    return this.#mark;
  }
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
  return {
    isAlive() {
      const all = listedNow();
      return all === undefined ? send(-leader, 0) : membersOf(all, leader, mark).length > 0;
    },
    signal(signal) {
      send(-leader, signal);
      for (const { pid } of membersOf(listedNow() ?? [], leader, mark)) send(pid, signal);
      if (signal !== "SIGKILL") return;
      for (let round = 1; round < KILL_ROUNDS; round += 1)
        for (const { pid } of membersOf(listProcesses() ?? [], leader, mark)) send(pid, signal);
    },
  };
}

function membersOf(all: readonly Process[], leader: number, mark: string): readonly Process[] {
  const found = new Set<Process>();
  const add = (member: Process): void => {
    if (found.has(member)) return;
    found.add(member);
    for (const child of member.children) add(child);
  };
  for (const one of all) if (one.pid === leader || one.group === leader || one.mark === mark) add(one);
  return [...found].filter(({ pid, isDead }) => !isDead && pid !== process.pid);
}

const markIn = (environment: string): string => {
  const name = `${COMMAND_MARK}=`;
  return (
    environment
      .split("\0")
      .find((line) => line.startsWith(name))
      ?.slice(name.length) ?? ""
  );
};

/** The last listing, until the next microtask. The shells of all tasks share it, since the system has one list of processes. */
let listed: { readonly all: readonly Process[] | undefined } | undefined;

/** The processes. One listing serves all commands that are signaled in the same macrostep: a cancel stops many at once. */
function listedNow(): readonly Process[] | undefined {
  if (listed === undefined) {
    listed = { all: listProcesses() };
    queueMicrotask(() => {
      listed = undefined;
    });
  }
  return listed.all;
}

function listProcesses(): readonly Process[] | undefined {
  if (process.platform !== "linux") return undefined;
  const byId = new Map<number, { readonly process: Process; readonly parent: number }>();
  for (const name of readdirSync("/proc")) {
    const stat = /^\d+$/.test(name) ? read(`/proc/${name}/stat`) : undefined;
    if (stat === undefined) continue;
    // The name is in parentheses and may contain any character.
    const [state, parent, group, , , , flags] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if ((Number(flags) & KERNEL_THREAD) !== 0) continue;
    const isDead = state === "Z" || state === "X";
    const found = new Process(Number(name), { group: Number(group), isDead });
    byId.set(found.pid, { process: found, parent: Number(parent) });
  }
  for (const { process: found, parent } of byId.values()) byId.get(parent)?.process.children.push(found);
  return [...byId.values()].map(({ process: found }) => found);
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
