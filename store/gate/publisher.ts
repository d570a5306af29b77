import { Observable } from "rxjs";
import { callContained } from "../../actors/protocol/contained.ts";
import type { PublishedCommit } from "./commit.ts";

interface Listener<TSnapshot> {
  next(published: PublishedCommit<TSnapshot>): void;
  complete?(): void;
}

/** Publishes commits and starts effects. Commits that a listener or an effect causes are queued behind the current ones. */
export class Publisher<TSnapshot> {
  readonly #onError: (error: unknown) => void;
  readonly #onEnd: () => void;
  /** A new list for each change, so that a commit goes to the listeners of its start. */
  #listeners: readonly Listener<TSnapshot>[] = [];
  #hasEnded = false;

  constructor(onError: (error: unknown) => void, onEnd: () => void) {
    this.#onError = onError;
    this.#onEnd = onEnd;
  }

  get commits$(): Observable<PublishedCommit<TSnapshot>> {
    return new Observable((subscriber) => {
      if (!this.#hasEnded) return this.#add(subscriber);
      subscriber.complete();
      return undefined;
    });
  }

  onCommit(listener: (published: PublishedCommit<TSnapshot>) => void): () => void {
    return this.#add({ next: listener });
  }

  publish(published: PublishedCommit<TSnapshot>): void {
    for (const listener of this.#listeners)
      if (this.#listeners.includes(listener)) this.#attempt(() => listener.next(published));
  }

  start(effects: readonly (() => void)[]): void {
    for (const effect of effects) this.#attempt(effect);
  }

  end(): void {
    const listeners = this.#listeners;
    this.#listeners = [];
    this.#hasEnded = true;
    for (const listener of listeners) this.#attempt(() => listener.complete?.());
    this.#attempt(this.#onEnd);
  }

  #add(listener: Listener<TSnapshot>): () => void {
    if (!this.#hasEnded) this.#listeners = this.#listeners.concat(listener);
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    };
  }

  /** An error of one listener or effect does not affect the others. */
  #attempt(call: () => unknown): void {
    callContained(call, this.#onError);
  }
}
