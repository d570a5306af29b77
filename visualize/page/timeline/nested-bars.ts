import type { TaskInfo } from "../../../wire/http/api.ts";
import { listedTask } from "../model/listed-task.ts";
import { subtaskLabel } from "../model/subtask-name.ts";
import { infoAt, newestInfo } from "../model/subtask-rows.ts";
import type { SubtaskNode, SubtaskTree } from "../model/subtask-tree.ts";
import type { TraceSnapshot } from "../model/trace-snapshot.ts";
import { eventAtTime } from "../model/tree-problems.ts";
import { shortened } from "../text/printable.ts";
import type { Bar } from "./lanes.ts";
import { barsOfSubtasks } from "./subtask-bars.ts";
import { onAxis, statesOf } from "./subtask-states.ts";
import { CHILD_ROWS_MAX } from "./timeline-index.ts";

/** The name of a row of subtasks. */
export interface RowName {
  /** It fits beside the row. */
  readonly name: string;
  /** The numbers and titles of the subtasks that the row has. */
  readonly title: string;
}

/** A row below the row of a direct subtask. */
export interface NestedRow extends RowName {
  readonly row: number;
}

/** The bars of a task and of its subtasks, at any depth. */
export interface NestedBars {
  /** The bars of the shown task. A subtask's bar has its name, status and states. */
  readonly own: readonly Bar[];
  /** The bars of the subtasks below the direct ones. */
  readonly bars: readonly Bar[];
  /** The names of the rows of direct subtasks. The name of a row with several subtasks is empty. */
  readonly names: ReadonlyMap<number, RowName>;
  /** The rows below each row of a direct subtask. */
  readonly below: ReadonlyMap<number, readonly NestedRow[]>;
}

/** The most characters of a name beside a row. */
const NAME_CHARS_MAX = 14;
const TITLE_CHARS_MAX = 400;
/** The most rows below one of a direct subtask. More subtasks share the last one. */
const NESTED_ROWS_MAX = 8;

/**
 * The bars of a task and of its subtasks, on both axes of the shown task: at their own times, and at the events of the shown
 * task during which they ran. The bar of a subtask that never ended lasts as long as the subtask that started it. Subtasks
 * that work at the same time have different rows, if there are enough. `tasks`: the newest facts about them.
 */
export function nestedBars(
  shown: TraceSnapshot,
  { children, all }: Pick<SubtaskTree, "children" | "all">,
  tasks: readonly TaskInfo[] = [],
): NestedBars {
  const bars: Bar[] = [];
  const rows = new NestedRows();
  const add = (node: SubtaskNode, row: number, depth: number, end: number | undefined): void => {
    const own = barsOfSubtasks(node.starts[0].trace.index).get(node.taskId) ?? [];
    const until = own.at(-1)?.to ?? end;
    const [first] = own;
    if (depth > 0 && first !== undefined) {
      const nested = rows.take(node, row, depth, [first.from, until ?? Number.POSITIVE_INFINITY]);
      for (const bar of own)
        bars.push(onAxis({ ...described(bar, node, shown, tasks), row: nested }, end, shown));
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
    return node === undefined ? bar : described(bar, node, shown, tasks);
  });
  return { own, bars, names: namesOf(children, ofDirect), below: rows.below() };
}

/** A row while it is filled: the subtasks in it, and the time until which the last one lasted. */
interface FilledRow {
  readonly row: number;
  readonly depth: number;
  readonly nodes: SubtaskNode[];
  until: number;
}

/** The rows below the rows of direct subtasks. */
class NestedRows {
  readonly #filled = new Map<number, FilledRow[]>();
  #next = CHILD_ROWS_MAX;

  /** The row of a subtask below the row of a direct one, for its time: one where no other works at that time. */
  take(node: SubtaskNode, below: number, depth: number, [from, until]: readonly [number, number]): number {
    const rows = this.#filled.get(below) ?? [];
    this.#filled.set(below, rows);
    const free = rows.find((row) => row.depth === depth && row.until <= from);
    const taken = free ?? (rows.length < NESTED_ROWS_MAX ? this.#add(rows, depth) : rows.at(-1));
    if (taken === undefined) return below;
    taken.nodes.push(node);
    taken.until = Math.max(taken.until, until);
    return taken.row;
  }

  below(): NestedBars["below"] {
    return new Map([...this.#filled].map(([row, nested]) => [row, nested.map(named)]));
  }

  #add(rows: FilledRow[], depth: number): FilledRow {
    const row: FilledRow = { row: this.#next, depth, nodes: [], until: Number.NEGATIVE_INFINITY };
    this.#next += 1;
    rows.push(row);
    return row;
  }
}

const named = ({ row, depth, nodes }: FilledRow): NestedRow => {
  const [first, ...others] = nodes;
  const isAlone = first !== undefined && others.length === 0;
  const name = `↳ ${isAlone ? first.number : `level ${depth + 1}`}`;
  return { row, name: shortened(name, NAME_CHARS_MAX), title: titleOf(nodes) };
};

const titleOf = (nodes: readonly SubtaskNode[]): string =>
  shortened(nodes.map(subtaskLabel).join("; "), TITLE_CHARS_MAX);

function namesOf(
  children: readonly SubtaskNode[],
  ofDirect: ReadonlyMap<string, readonly Bar[]>,
): NestedBars["names"] {
  const inRows = new Map<number, SubtaskNode[]>();
  for (const node of children) {
    const row = ofDirect.get(node.taskId)?.[0]?.row;
    if (row === undefined) continue;
    const nodes = inRows.get(row) ?? [];
    inRows.set(row, nodes);
    nodes.push(node);
  }
  return new Map([...inRows].map(([row, nodes]) => [row, nameOf(nodes)]));
}

function nameOf(nodes: readonly SubtaskNode[]): RowName {
  const [first, ...others] = nodes;
  const name = first === undefined || others.length > 0 ? "" : `subtask ${first.number}`;
  return { name: shortened(name, NAME_CHARS_MAX), title: titleOf(nodes) };
}

/** The bar of a subtask with its number and title, its status, and the states that the subtask was in. */
function described(bar: Bar, node: SubtaskNode, shown: TraceSnapshot, tasks: readonly TaskInfo[]): Bar {
  const { trace } = node;
  const info = infoOf(bar, node, tasks);
  return {
    ...{ ...bar, title: subtaskLabel(node) },
    ...(info !== undefined && { status: listedTask(info).status.word }),
    ...(trace !== undefined && { states: statesOf(bar, trace, shown) }),
  };
}

/** The newest facts about a subtask or, if it worked again later, the facts at the end of the bar. */
function infoOf(
  bar: Bar,
  { taskId, trace, starts: [{ trace: parent }] }: SubtaskNode,
  tasks: readonly TaskInfo[],
): TaskInfo | undefined {
  const isLast = barsOfSubtasks(parent.index).get(taskId)?.at(-1)?.seq === bar.seq;
  if (isLast || bar.to === undefined) return newestInfo(taskId, trace, tasks);
  return trace && infoAt(trace, eventAtTime(trace, bar.to));
}
