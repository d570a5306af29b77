import { Observable, Subject } from "rxjs";
import type { ShownCommit } from "./commit.ts";

/**
 * Shows commits and starts their effects, one commit after another: what a listener or an effect sets off
 * while it runs comes after everything that was already in line.
 */
export class Stage<TSnapshot> {
  readonly commits$: Observable<ShownCommit<TSnapshot>>;
  readonly #shown = new Subject<ShownCommit<TSnapshot>>();
  readonly #onError: (error: unknown) => void;
  #line: (() => void)[] = [];
  #busy = false;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
    this.commits$ = new Observable((subscriber) => this.#shown.subscribe(subscriber));
  }

  onShown(listener: (shown: ShownCommit<TSnapshot>) => void): () => void {
    const subscription = this.#shown.subscribe((shown) => this.#attempt(() => listener(shown)));
    return () => subscription.unsubscribe();
  }

  show(shown: ShownCommit<TSnapshot>): void {
    this.#inLine(() => this.#shown.next(shown));
  }

  start(effects: readonly (() => void)[]): void {
    for (const effect of effects) this.#inLine(() => this.#attempt(effect));
  }

  end(): void {
    this.#inLine(() => this.#shown.complete());
  }

  #inLine(act: () => void): void {
    if (this.#busy) {
      this.#line.push(act);
      return;
    }
    this.#busy = true;
    act();
    while (this.#line.length > 0) {
      const line = this.#line;
      this.#line = [];
      for (const next of line) next();
    }
    this.#busy = false;
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
