import { isObservable, type Observable, type Observer, takeWhile } from "rxjs";

/**
 * Hands the items of a source to `observer` until the source ends, `isOver` says so, or the function that
 * this gives back is called. That ends it at once: the subscription, or the iterator by its `return()`.
 */
export function consume<T>(
  open: () => AsyncIterable<T> | Observable<T>,
  isOver: () => boolean,
  observer: Observer<T>,
): () => void {
  try {
    const source = open();
    return isObservable(source) ? subscribe(source, isOver, observer) : walk(source, observer);
  } catch (error) {
    observer.error(error);
    return () => {};
  }
}

function subscribe<T>(source: Observable<T>, isOver: () => boolean, observer: Observer<T>): () => void {
  // A source that emits while it is subscribed to can't be unsubscribed yet: its next item finds it shut.
  const subscription = source.pipe(takeWhile(() => !isOver())).subscribe(observer);
  return () => subscription.unsubscribe();
}

function walk<T>(source: AsyncIterable<T>, observer: Observer<T>): () => void {
  const iterator = source[Symbol.asyncIterator]();
  let open = true;
  const step = async (): Promise<void> => {
    try {
      while (open) {
        const next = await iterator.next();
        if (!open) return;
        if (next.done === true) {
          open = false;
          observer.complete();
        } else observer.next(next.value);
      }
    } catch (error) {
      if (!open) return;
      open = false;
      observer.error(error);
    }
  };
  void step();
  return () => {
    if (!open) return;
    open = false;
    // Nobody listens to this source any more: whether its clean-up works is its own affair.
    giveBack(iterator).then(ignore, ignore);
  };
}

async function giveBack(iterator: AsyncIterator<unknown>): Promise<void> {
  await iterator.return?.();
}

const ignore = (): void => {};
