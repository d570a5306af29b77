import { defer, endWith, from, ignoreElements, map, merge, mergeMap, type Observable, takeUntil } from "rxjs";
import { frozen } from "../../machines/list/frozen.ts";
import type { Ask } from "./ask.ts";
import type { TaskCommit } from "./task-view.ts";

/** An ask of a task or of one of its descendants. */
export interface TreeAsk {
  /** The ids from the task that shows the ask to the one that asks; the same task for its own ask. */
  readonly path: readonly string[];
  readonly ask: Ask;
}

/** A task of a tree. */
interface AskingTask {
  readonly id: string;
  readonly asks: readonly Ask[];
  readonly asks$: Observable<Ask>;
  /** Completes when the task is closed. */
  readonly events$: Observable<TaskCommit>;
}

/** The asks of tasks. The first task shows them. The list is `known` while it has the same asks. */
export function treeAsks(
  tasks: readonly [AskingTask, ...AskingTask[]],
  known: readonly TreeAsk[] | undefined,
): readonly TreeAsk[] {
  const [{ id: top }] = tasks;
  const asks = tasks.flatMap(({ id, asks: own }) =>
    own.map((ask) => known?.find((tree) => tree.ask === ask) ?? { path: pathBetween(top, id), ask }),
  );
  return known?.length === asks.length && asks.every((ask, index) => ask === known[index])
    ? known
    : frozen(asks);
}

/** The asks of `top` and of its descendants: the open ones, then each as it opens, once. */
export function observeTreeAsks(
  top: AskingTask,
  descendants: { readonly open: readonly AskingTask[]; readonly opened$: Observable<AskingTask> },
): Observable<TreeAsk> {
  const asksOf = ({ id, asks$, events$ }: AskingTask): Observable<TreeAsk> =>
    asks$.pipe(
      map((ask) => ({ path: pathBetween(top.id, id), ask })),
      takeUntil(events$.pipe(ignoreElements(), endWith(id))),
    );
  return defer(() => merge(descendants.opened$, from([top, ...descendants.open]))).pipe(mergeMap(asksOf));
}

/** A subtask's id is its parent's id, a dot and a number. */
export function pathBetween(top: string, id: string): readonly string[] {
  const path = [top];
  for (const number of id.slice(top.length).split(".").slice(1)) path.push(`${path.at(-1)}.${number}`);
  return path;
}
