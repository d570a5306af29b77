import { Observable, type Observer, type Operator, Subscriber, type Subscription } from "rxjs";

/** Call a listener. An error that it throws, or rejects with later, is reported and affects nothing else. */
export function callContained(listener: () => unknown, onError: (error: unknown) => void): void {
  try {
    const result = listener();
    if (isThenable(result)) result.then(undefined, onError);
  } catch (error) {
    onError(error);
  }
}

interface Thenable {
  then(onResolved: undefined, onRejected: (error: unknown) => void): unknown;
}

const isThenable = (value: unknown): value is Thenable =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";

/**
 * An observable for listeners of any origin: the error or rejection of one goes to `onError`, also behind operators, and
 * is never an unhandled rejection.
 */
export class ContainedObservable<T> extends Observable<T> {
  readonly #onError: (error: unknown) => void;

  constructor(source: Pick<Observable<T>, "subscribe">, onError: (error: unknown) => void) {
    super((subscriber) => source.subscribe(subscriber));
    this.#onError = onError;
  }

  override subscribe(
    observer?: Partial<Observer<T>> | ((value: T) => void) | null,
    error?: ((error: unknown) => void) | null,
    complete?: (() => void) | null,
  ): Subscription {
    // One of an operator: its own consumer is contained.
    if (observer instanceof Subscriber) return super.subscribe(observer);
    const given =
      typeof observer === "object" && observer !== null
        ? observer
        : { next: observer ?? undefined, error: error ?? undefined, complete: complete ?? undefined };
    const onError = this.#onError;
    return super.subscribe({
      next: (value) => callContained(() => given.next?.(value), onError),
      error: (failure: unknown) =>
        callContained(() => (given.error === undefined ? onError(failure) : given.error(failure)), onError),
      complete: () => callContained(() => given.complete?.(), onError),
    });
  }

  override lift<R>(operator?: Operator<T, R>): Observable<R> {
    return new ContainedObservable(super.lift(operator), this.#onError);
  }
}
