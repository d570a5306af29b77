import { Observable } from "rxjs";
import { ContainedObservable, callContained } from "../../../actors/protocol/contained.ts";
import { throwUncaught } from "../../../actors/protocol/uncaught.ts";

type Listener<T> = (payload: T) => unknown;

interface Entry<T> {
  readonly listener: Listener<T>;
  readonly once: boolean;
  /** Called by `removeAllListeners`. */
  readonly ended: () => void;
}

type Entries<Events> = { [K in keyof Events]?: Set<Entry<Events[K]>> };

/** The payload of an event; optional where it has none. */
export type Payload<T> = undefined extends T ? [payload?: T] : [payload: T];

export interface EmitterOptions {
  /** Called with a listener's error where `error` has no listener, or such a listener threw. Default: thrown as uncaught. */
  readonly onUnheard?: (error: Error) => void;
}

/**
 * An event emitter with typed payloads. The error or rejection of a listener goes to the listeners of `error` and affects
 * no other listener.
 *
 * @example
 * ```ts
 * import { TypedEventEmitter } from "signalbox/client";
 * const emitter = new TypedEventEmitter<{ said: string; error: Error }>();
 * const stop = emitter.on("said", (text) => console.log(text));
 * emitter.emit("said", "Hello"); // Hello
 * stop();
 * ```
 */
export class TypedEventEmitter<Events extends { readonly error: Error }> {
  readonly #entries: Entries<Events> = {};
  readonly #onUnheard: (error: Error) => void;

  constructor({ onUnheard = throwUncaught }: EmitterOptions = {}) {
    this.#onUnheard = onUnheard;
  }

  /** Call `listener` for each event of this name. The returned function unsubscribes. */
  on<K extends keyof Events>(name: K, listener: Listener<Events[K]>): () => void {
    return this.#add(name, { listener, once: false, ended: nothing });
  }

  /** Call `listener` for the next event of this name. */
  once<K extends keyof Events>(name: K, listener: Listener<Events[K]>): () => void {
    return this.#add(name, { listener, once: true, ended: nothing });
  }

  /** Remove a listener. */
  off<K extends keyof Events>(name: K, listener: Listener<Events[K]>): void {
    const entries = this.#entries[name];
    for (const entry of entries ?? []) if (entry.listener === listener) entries?.delete(entry);
  }

  /** Remove the listeners of one event, or of all. Observables of `events$` complete. */
  removeAllListeners<K extends keyof Events>(name?: K): void {
    if (name !== undefined) {
      const entries = this.#entries[name];
      delete this.#entries[name];
      for (const entry of entries ?? []) entry.ended();
      return;
    }
    for (const each of Object.keys(this.#entries)) if (this.#has(each)) this.removeAllListeners(each);
  }

  /** Call the present listeners in order. A listener that is removed in the meantime is not called. */
  emit<K extends keyof Events>(name: K, ...[payload]: Payload<Events[K]>): void;
  emit<K extends keyof Events>(name: K, payload: Events[K]): void {
    const entries = this.#entries[name];
    for (const entry of [...(entries ?? [])]) {
      if (!entries?.has(entry)) continue;
      if (entry.once) entries.delete(entry);
      this.#call(entry, payload, name === "error");
    }
  }

  listenerCount<K extends keyof Events>(name: K): number {
    return this.#entries[name]?.size ?? 0;
  }

  /** The events of one name, from the subscription on, as an RxJS Observable. It completes when all listeners are removed. */
  events$<K extends keyof Events>(name: K): Observable<Events[K]> {
    const events = new Observable<Events[K]>((subscriber) =>
      this.#add(name, {
        listener: (payload) => subscriber.next(payload),
        once: false,
        ended: () => subscriber.complete(),
      }),
    );
    return new ContainedObservable(events, (error) => this.#report(asError(error), name === "error"));
  }

  #add<K extends keyof Events>(name: K, entry: Entry<Events[K]>): () => void {
    const entries: Set<Entry<Events[K]>> = this.#entries[name] ?? new Set();
    this.#entries[name] = entries;
    entries.add(entry);
    return () => {
      entries.delete(entry);
    };
  }

  #has(name: PropertyKey): name is keyof Events {
    return Object.hasOwn(this.#entries, name);
  }

  #call<T>({ listener }: Entry<T>, payload: T, isErrorListener: boolean): void {
    callContained(
      () => listener(payload),
      (error) => this.#report(asError(error), isErrorListener),
    );
  }

  /** An error of a listener of `error` goes to no listener: that would recurse. */
  #report(error: Error, isErrorListener: boolean): void {
    const listeners = this.#entries.error;
    if (isErrorListener || listeners === undefined || listeners.size === 0) this.#onUnheard(error);
    else
      for (const entry of [...listeners]) {
        if (entry.once) listeners.delete(entry);
        this.#call(entry, error, true);
      }
  }
}

const nothing = (): void => {};

const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(`A listener threw ${String(thrown)}.`, { cause: thrown });
