import { asapScheduler, filter, from, map, merge, mergeMap, type Observable, observeOn, of, tap } from "rxjs";
import { isInteractiveAsk, isNonBlockingAsk, isResumableAsk } from "../../machines/message/asks.ts";
import type { Ask } from "./ask.ts";

/** A task, as far as its asks may hold up a run. */
interface AskingTask {
  /** The asks that can be answered now. */
  readonly asks: readonly Ask[];
  readonly receivedAsks: ReceivedAsks;
}

/** The asks of a task: those that somebody receives, and may answer, and the others, which nobody would ever answer. */
export class ReceivedAsks {
  readonly #asks$: Observable<Ask>;
  #newest = 0;

  /** @param asks$ The open ask, then each as it opens. */
  constructor(asks$: Observable<Ask>) {
    this.#asks$ = asks$;
  }

  /** The asks. A subscriber has received each that it gets. */
  get received$(): Observable<Ask> {
    return this.#asks$.pipe(
      tap(({ id }) => {
        this.#newest = Math.max(this.#newest, id);
      }),
    );
  }

  /** The asks that no subscriber gets when they open, and that no rule answers later. */
  get unreceived$(): Observable<Ask> {
    return this.#asks$.pipe(
      // Each subscriber gets the ask first.
      observeOn(asapScheduler),
      filter(({ id, expiresAt }) => id > this.#newest && expiresAt === undefined),
    );
  }
}

/** The open asks that hold up the run of a task, each time one opens that nobody receives. */
export function unansweredAsks<T extends AskingTask>(
  task: T,
  subtasks: { readonly open: readonly T[]; readonly opened$: Observable<T> },
): Observable<readonly [Ask, ...Ask[]]> {
  const openIn = (one: T) => one.asks.filter((ask) => holdsRun(ask, one === task));
  return merge(of(task), from(subtasks.open), subtasks.opened$).pipe(
    mergeMap((one) =>
      one.receivedAsks.unreceived$.pipe(filter(({ id }) => openIn(one).some((ask) => ask.id === id))),
    ),
    map((opened) => [
      opened,
      ...[task, ...subtasks.open].flatMap(openIn).filter(({ id }) => id !== opened.id),
    ]),
  );
}

/**
 * Whether a run goes on only when the ask is answered: an ask of the task that runs, or of a subtask that it waits for. A
 * subtask at rest on `resume_task` is resumed with its parent.
 */
export const holdsRun = ({ type }: Ask, isOwn: boolean): boolean =>
  isOwn ? isInteractiveAsk(type) : !(isNonBlockingAsk(type) || isResumableAsk(type));
