import { Observable } from "rxjs";
import { throwUncaught } from "../../actors/protocol/index.ts";

type Listener<T> = (payload: T) => unknown;

interface Entry<T> {
  readonly listener: Listener<T>;
  readonly once: boolean;
  /** Called when the emitter lets go of it with all others. */
  readonly ended: () => void;
}

type Entries<Events> = { [K in keyof Events]?: Set<Entry<Events[K]>> };

/** The payload of an event, left out where it has none. */
export type Payload<T> = undefined extends T ? [payload?: T] : [payload: T];

export interface EmitterOptions {
  /** Told of what a listener threw where nobody hears `error`, or the listener of `error` threw. Default: thrown at the process. */
  readonly onUnheard?: (error: Error) => void;
}

/**
 * Listeners by the name of an event, each with the type of its payload. A listener that throws, or whose promise
 * rejects, stops no other one: what it threw goes to the listeners of `error`.
 *
 * @example
 * ```ts
 * import { TypedEventEmitter } from "signalbox/client";
 * const emitter = new TypedEventEmitter<{ said: string; error: Error }>();
 * const stop = emitter.on("said", (words) => console.log(words));
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

  /** Calls `listener` at each event of this name. The function it gives ends that. */
  on<K extends keyof Events>(name: K, listener: Listener<Events[K]>): () => void {
    return this.#add(name, { listener, once: false, ended: nothing });
  }

  /** Calls `listener` at the next event of this name only. */
  once<K extends keyof Events>(name: K, listener: Listener<Events[K]>): () => void {
    return this.#add(name, { listener, once: true, ended: nothing });
  }

  /** Ends what `on` or `once` began for this listener. */
  off<K extends keyof Events>(name: K, listener: Listener<Events[K]>): void {
    const entries = this.#entries[name];
    for (const entry of entries ?? []) if (entry.listener === listener) entries?.delete(entry);
  }

  /** Lets go of the listeners of one event, or of all. What `events$` gave completes. */
  removeAllListeners<K extends keyof Events>(name?: K): void {
    if (name !== undefined) {
      const entries = this.#entries[name];
      delete this.#entries[name];
      for (const entry of entries ?? []) entry.ended();
      return;
    }
    for (const each of Object.keys(this.#entries)) if (this.#has(each)) this.removeAllListeners(each);
  }

  /** Calls the listeners that are there now, in the order in which they came. One that is removed meanwhile isn't called. */
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
    return new Observable((subscriber) =>
      this.#add(name, {
        listener: (payload) => subscriber.next(payload),
        once: false,
        ended: () => subscriber.complete(),
      }),
    );
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

  #call<T>({ listener }: Entry<T>, payload: T, hearsErrors: boolean): void {
    const failed = (error: unknown): void => this.#tell(asError(error), hearsErrors);
    try {
      const answer = listener(payload);
      if (answer instanceof Promise) answer.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  /** An error of a listener of `error` goes to nobody's listener: it would never end. */
  #tell(error: Error, byListenerOfErrors: boolean): void {
    const listeners = this.#entries.error;
    if (byListenerOfErrors || listeners === undefined || listeners.size === 0) this.#onUnheard(error);
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
