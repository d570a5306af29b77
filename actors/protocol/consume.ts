import { isObservable, type Observable, type Observer, takeWhile } from "rxjs";

/**
 * Passes the items of a source to `observer` until the source ends, `isOver` returns true, or the returned function is
 * called. That function unsubscribes, or calls the iterator's `return()`, at once.
 */
export function consume<T>(
  open: () => AsyncIterable<T> | Observable<T>,
  isOver: () => boolean,
  observer: Observer<T>,
): () => void {
  try {
    const source = open();
    return isObservable(source) ? subscribe(source, isOver, observer) : iterate(source, observer);
  } catch (error) {
    observer.error(error);
    return () => {};
  }
}

function subscribe<T>(source: Observable<T>, isOver: () => boolean, observer: Observer<T>): () => void {
  // A source that emits during subscribe can't be unsubscribed yet, so each item is checked.
  const subscription = source.pipe(takeWhile(() => !isOver())).subscribe(observer);
  return () => subscription.unsubscribe();
}

function iterate<T>(source: AsyncIterable<T>, observer: Observer<T>): () => void {
  const iterator = source[Symbol.asyncIterator]();
  let open = true;
  const run = async (): Promise<void> => {
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
  void run();
  return () => {
    if (!open) return;
    open = false;
    // Errors of the source's cleanup have no listener.
    (async () => iterator.return?.())().catch(() => undefined);
  };
}
