import { memoized } from "../model/memoized.ts";
import { numberIn } from "../model/subtask-rows.ts";
import { nameOf, type SubtaskNode, type SubtaskTree } from "../model/subtask-tree.ts";
import type { TraceSnapshot } from "../model/trace-snapshot.ts";
import { eventAtTime } from "../model/tree-problems.ts";
import type { Bar } from "./lanes.ts";
import { CHILD_ROWS_MAX } from "./timeline-index.ts";

/** A row below the row of a direct subtask. */
export interface NestedRow {
  readonly row: number;
  readonly name: string;
}

/** The bars of a task and of its subtasks, at any depth. */
export interface NestedBars {
  /** The bars of the shown task. A subtask's bar has its name and states. */
  readonly own: readonly Bar[];
  /** The bars of the subtasks below the direct ones. */
  readonly bars: readonly Bar[];
  /** The names of the rows of direct subtasks that have one subtask each. */
  readonly names: ReadonlyMap<number, string>;
  /** The rows below each row of a direct subtask. */
  readonly below: ReadonlyMap<number, readonly NestedRow[]>;
}

/** The most rows below one of a direct subtask. More subtasks share the last one. */
const NESTED_ROWS_MAX = 8;

/**
 * The bars of a task and of its subtasks, on both axes of the shown task: at their own times, and at the events of the shown
 * task during which they ran. The bar of a subtask that never ended lasts as long as the subtask that started it. Subtasks
 * that work at the same time have different rows, if there are enough.
 */
export function nestedBars(
  shown: TraceSnapshot,
  { children, all }: Pick<SubtaskTree, "children" | "all">,
): NestedBars {
  const bars: Bar[] = [];
  const rows = new NestedRows(shown.taskId);
  const add = (node: SubtaskNode, row: number, depth: number, end: number | undefined): void => {
    const own = barsOfSubtasks(node.starts[0].trace.index).get(node.taskId) ?? [];
    const until = own.at(-1)?.to ?? end;
    const [first] = own;
    if (depth > 0 && first !== undefined) {
      const nested = rows.take(node, row, depth, [first.from, until ?? Number.POSITIVE_INFINITY]);
      for (const bar of own) bars.push(onAxis({ ...described(bar, node, shown), row: nested }, end, shown));
    }
    for (const child of node.children) add(child, row, depth + 1, until);
  };
  const ofDirect = barsOfSubtasks(shown.index);
  for (const child of children) {
    const [first] = ofDirect.get(child.taskId) ?? [];
    if (first !== undefined) add(child, first.row, 0, undefined);
  }
  const nodes = new Map(all.map((node) => [node.taskId, node]));
  const own = shown.index.timeline.bars.map((bar) => {
    const node = bar.lane === "subtasks" ? nodes.get(bar.subject) : undefined;
    return node === undefined ? bar : described(bar, node, shown);
  });
  return { own, bars, names: namesOf(children, ofDirect, shown), below: rows.below() };
}

/** A row while it is filled: the subtasks in it, and the time until which the last one lasted. */
interface FilledRow {
  readonly row: number;
  readonly depth: number;
  readonly numbers: string[];
  until: number;
}

/** The rows below the rows of direct subtasks. */
class NestedRows {
  readonly #filled = new Map<number, FilledRow[]>();
  readonly #shown: string;
  #next = CHILD_ROWS_MAX;

  constructor(shown: string) {
    this.#shown = shown;
  }

  /** The row of a subtask below the row of a direct one, for its time: one where no other works at that time. */
  take(
    { taskId }: SubtaskNode,
    below: number,
    depth: number,
    [from, until]: readonly [number, number],
  ): number {
    const rows = this.#filled.get(below) ?? [];
    this.#filled.set(below, rows);
    const free = rows.find((row) => row.depth === depth && row.until <= from);
    const taken = free ?? (rows.length < NESTED_ROWS_MAX ? this.#add(rows, depth) : rows.at(-1));
    if (taken === undefined) return below;
    taken.numbers.push(numberIn(taskId, this.#shown));
    taken.until = Math.max(taken.until, until);
    return taken.row;
  }

  below(): NestedBars["below"] {
    return new Map([...this.#filled].map(([row, nested]) => [row, nested.map(named)]));
  }

  #add(rows: FilledRow[], depth: number): FilledRow {
    const row: FilledRow = { row: this.#next, depth, numbers: [], until: Number.NEGATIVE_INFINITY };
    this.#next += 1;
    rows.push(row);
    return row;
  }
}

const named = ({ row, depth, numbers: [first, ...others] }: FilledRow): NestedRow => ({
  row,
  name: `↳ ${first !== undefined && others.length === 0 ? first : `level ${depth + 1}`}`,
});

function namesOf(
  children: readonly SubtaskNode[],
  ofDirect: ReadonlyMap<string, readonly Bar[]>,
  shown: TraceSnapshot,
): NestedBars["names"] {
  const numbers = new Map<number, string[]>();
  for (const { taskId } of children) {
    const row = ofDirect.get(taskId)?.[0]?.row;
    if (row !== undefined) numbers.set(row, [...(numbers.get(row) ?? []), numberIn(taskId, shown.taskId)]);
  }
  const alone = [...numbers].filter(([, found]) => found.length === 1);
  return new Map(alone.map(([row, [number]]) => [row, `subtask ${number}`]));
}

/** The bar of a subtask with its number and name, and with the states that the subtask was in. */
function described(bar: Bar, { taskId, trace }: SubtaskNode, shown: TraceSnapshot): Bar {
  const number = numberIn(taskId, shown.taskId);
  if (trace === undefined) return { ...bar, title: number };
  const [from, to] = [bar.from, bar.to ?? Number.POSITIVE_INFINITY];
  const states = trace.index.timeline.bars
    .filter((state) => state.lane === "state" && state.from <= to && (state.to ?? to) > from)
    .map((state) => onAxis(state, bar.to, shown));
  return { ...bar, title: `${number} ${nameOf(trace)}`, states };
}

function onAxis(bar: Bar, end: number | undefined, shown: TraceSnapshot): Bar {
  const to = bar.to ?? end;
  // The whole column of the last event belongs to the bar.
  const last = to === undefined ? undefined : eventAtTime(shown, to) + 1;
  return { ...bar, to, last, seq: eventAtTime(shown, bar.from), cause: undefined };
}

/** The bars of each subtask of a task. */
const barsOfSubtasks = memoized(({ timeline }) => {
  const found = new Map<string, Bar[]>();
  for (const bar of timeline.bars) {
    if (bar.lane !== "subtasks") continue;
    const bars = found.get(bar.subject) ?? [];
    found.set(bar.subject, bars);
    bars.push(bar);
  }
  return found;
});
