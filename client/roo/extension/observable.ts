import { callContained } from "../../../actors/protocol/contained.ts";
import { throwUncaught } from "../../../actors/protocol/uncaught.ts";

/** Called with each value. */
export type Observer<T> = (value: T) => unknown;

/**
 * A value with observers: each is called at once with the present value, then with each next one. The error or rejection of an
 * observer goes to `onError` and affects no other observer. `client.events$` and `client.state$` are RxJS observables.
 *
 * @example
 * ```ts
 * import { Observable } from "signalbox/client";
 * const seen: number[] = [];
 * const count = new Observable(1);
 * count.subscribe((value) => seen.push(value));
 * count.next(2);
 * console.log(seen); // [ 1, 2 ]
 * ```
 */
export class Observable<T> {
  readonly #observers = new Set<{ readonly observer: Observer<T> }>();
  readonly #onError: (error: unknown) => void;
  #value: T;

  /** @param onError Called with the error of an observer. Default: thrown as uncaught. */
  constructor(initial: T, onError: (error: unknown) => void = throwUncaught) {
    this.#value = initial;
    this.#onError = onError;
  }

  /** Subscribe. The returned function unsubscribes. */
  subscribe(observer: Observer<T>): () => void {
    const entry = { observer };
    this.#observers.add(entry);
    this.#call(observer, this.#value);
    return () => {
      this.#observers.delete(entry);
    };
  }

  next(value: T): void {
    this.#value = value;
    for (const entry of [...this.#observers])
      if (this.#observers.has(entry)) this.#call(entry.observer, value);
  }

  /** Set the value without notifying observers. */
  setQuietly(value: T): void {
    this.#value = value;
  }

  getValue(): T {
    return this.#value;
  }

  hasSubscribers(): boolean {
    return this.#observers.size > 0;
  }

  getSubscriberCount(): number {
    return this.#observers.size;
  }

  /** Remove all observers. The value stays. */
  clear(): void {
    this.#observers.clear();
  }

  #call(observer: Observer<T>, value: T): void {
    callContained(() => observer(value), this.#onError);
  }
}
