import { isObservable, type Observable } from "rxjs";

/**
 * The items of an async iterable or an Observable. Ends when `signal` aborts, also while an item is
 * awaited; then the source is told: its `return()` is called, its subscription ended.
 */
export async function* iterate<T>(
  source: AsyncIterable<T> | Observable<T>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const iterator = (isObservable(source) ? pull(source) : source)[Symbol.asyncIterator]();
  let stop: () => void = () => {};
  const stopped = new Promise<{ readonly done: true; readonly value: undefined }>((resolve) => {
    stop = () => resolve({ done: true, value: undefined });
  });
  signal.addEventListener("abort", stop, { once: true });
  let ended = false;
  try {
    while (!signal.aborted) {
      const next = await Promise.race([iterator.next(), stopped]);
      if (next.done === true) {
        ended = !signal.aborted;
        return;
      }
      yield next.value;
    }
  } finally {
    signal.removeEventListener("abort", stop);
    // A source that sleeps through its stop answers return() late or never: nobody waits for it.
    if (!ended) iterator.return?.()?.then(undefined, () => undefined);
  }
}

/** The items of an Observable, kept until they are asked for. */
async function* pull<T>(source: Observable<T>): AsyncGenerator<T> {
  const items: T[] = [];
  let end: { readonly error?: unknown } | undefined;
  let wake: () => void = () => {};
  const subscription = source.subscribe({
    next: (item) => {
      items.push(item);
      wake();
    },
    error: (error: unknown) => {
      end = { error };
      wake();
    },
    complete: () => {
      end = {};
      wake();
    },
  });
  try {
    for (;;) {
      yield* items.splice(0);
      if (items.length > 0) continue;
      if (end !== undefined) {
        if ("error" in end) throw end.error;
        return;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    subscription.unsubscribe();
  }
}
