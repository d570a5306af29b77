import { Observable, Subject } from "rxjs";
import type { ShownCommit } from "./commit.ts";

/**
 * Shows commits and starts effects, for the pipeline, which keeps them in order: what a listener or an effect
 * sets off comes back as a new entry behind those in line.
 */
export class Stage<TSnapshot> {
  readonly commits$: Observable<ShownCommit<TSnapshot>>;
  readonly #shown = new Subject<ShownCommit<TSnapshot>>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
    this.commits$ = new Observable((subscriber) => this.#shown.subscribe(subscriber));
  }

  onShown(listener: (shown: ShownCommit<TSnapshot>) => void): () => void {
    const subscription = this.#shown.subscribe((shown) => this.#attempt(() => listener(shown)));
    return () => subscription.unsubscribe();
  }

  show(shown: ShownCommit<TSnapshot>): void {
    this.#shown.next(shown);
  }

  start(effects: readonly (() => void)[]): void {
    for (const effect of effects) this.#attempt(effect);
  }

  end(): void {
    this.#shown.complete();
  }

  /** A listener's or an effect's mistake is its own: the others go on. */
  #attempt(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#onError(error);
    }
  }
}
