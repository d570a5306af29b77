import { readdirSync, readFileSync } from "node:fs";

/** The variable by which the processes of one command know each other, also when their parents are gone. */
export const COMMAND_MARK = "SIGNALBOX_COMMAND";

/** How often a tree is looked for again while it is killed: it may fork meanwhile. */
const KILL_ROUNDS = 5;

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly dead: boolean;
}

/** A command's processes: its group, what descends from it, and whatever carries its mark. */
export interface Tree {
  /** Whether any of them still lives. */
  isAlive(): boolean;
  /** Sends them all a signal. */
  signal(signal: "SIGTERM" | "SIGKILL"): void;
}

/**
 * The tree of the process `leader`, which leads its own group. On Linux a process that left the group is
 * found by its parents or by its mark; elsewhere only the group is.
 */
export function treeOf(leader: number, mark: string): Tree {
  const members = (): readonly number[] | undefined => {
    const all = processes();
    return all === undefined ? undefined : membersOf(all, leader, mark);
  };
  return {
    isAlive: () => (members()?.length ?? (send(-leader, 0) ? 1 : 0)) > 0,
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
  const byParent = grouped(all);
  const add = (pid: number): void => {
    if (found.has(pid)) return;
    found.add(pid);
    for (const child of byParent.get(pid) ?? []) add(child.pid);
  };
  for (const each of all) {
    if (each.pid === leader || each.group === leader || isMarked(each.pid, mark)) add(each.pid);
  }
  const dead = new Set(all.filter((each) => each.dead).map((each) => each.pid));
  return [...found].filter((pid) => !dead.has(pid) && pid !== process.pid);
}

function grouped(all: readonly Process[]): Map<number, Process[]> {
  const groups = new Map<number, Process[]>();
  for (const each of all) groups.set(each.parent, [...(groups.get(each.parent) ?? []), each]);
  return groups;
}

function isMarked(pid: number, mark: string): boolean {
  return read(`/proc/${pid}/environ`)?.split("\0").includes(`${COMMAND_MARK}=${mark}`) ?? false;
}

function processes(): readonly Process[] | undefined {
  if (process.platform !== "linux") return undefined;
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const stat = read(`/proc/${name}/stat`);
    if (stat === undefined) return [];
    // The name stands in parentheses and may hold anything, also a parenthesis.
    const [state, parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const dead = state === "Z" || state === "X";
    return [{ pid: Number(name), parent: Number(parent), group: Number(group), dead }];
  });
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "latin1");
  } catch {
    // It ended meanwhile, or is another user's: not one of ours.
    return undefined;
  }
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    // It has ended already: that is what was wanted.
    return false;
  }
}
