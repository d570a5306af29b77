import { asapScheduler, filter, type Observable, observeOn, tap } from "rxjs";
import { isInteractiveAsk, isNonBlockingAsk, isResumableAsk } from "../../machines/message/asks.ts";
import type { Ask } from "./ask.ts";

/** Knows which asks of a task somebody has received and may answer. The others would never be answered. */
export class ReceivedAsks {
  #newest = 0;

  /** The same asks, each of them received when a subscriber gets it. */
  receivedFrom(asks$: Observable<Ask>): Observable<Ask> {
    return asks$.pipe(
      tap(({ id }) => {
        this.#newest = Math.max(this.#newest, id);
      }),
    );
  }

  /**
   * The asks that no subscriber gets when they open, and that no rule answers later.
   *
   * @param open Returns the asks that can be answered now.
   */
  unreceivedFrom(asks$: Observable<Ask>, open: () => readonly Ask[]): Observable<Ask> {
    return asks$.pipe(
      // Each subscriber gets the ask first.
      observeOn(asapScheduler),
      filter(({ id, expiresAt }) => id > this.#newest && expiresAt === undefined && isOpen(id, open())),
    );
  }
}

const isOpen = (id: number, open: readonly Ask[]): boolean => open.some((ask) => ask.id === id);

/**
 * Whether a run goes on only when the ask is answered: an ask of the task that runs, or of a subtask that it waits for. A
 * subtask at rest on `resume_task` is resumed with its parent.
 */
export const holdsRun = ({ kind }: Ask, isOwn: boolean): boolean =>
  isOwn ? isInteractiveAsk(kind) : !(isNonBlockingAsk(kind) || isResumableAsk(kind));
