import { Observable, Subject } from "rxjs";
import type { PublishedCommit } from "./commit.ts";

/** Publishes commits and starts effects. Commits that a listener or an effect causes are queued behind the current ones. */
export class Publisher<TSnapshot> {
  readonly commits$: Observable<PublishedCommit<TSnapshot>>;
  readonly #commits = new Subject<PublishedCommit<TSnapshot>>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
    this.commits$ = new Observable((subscriber) => this.#commits.subscribe(subscriber));
  }

  onCommit(listener: (published: PublishedCommit<TSnapshot>) => void): () => void {
    const subscription = this.#commits.subscribe((published) => this.#attempt(() => listener(published)));
    return () => subscription.unsubscribe();
  }

  publish(published: PublishedCommit<TSnapshot>): void {
    this.#commits.next(published);
  }

  start(effects: readonly (() => void)[]): void {
    for (const effect of effects) this.#attempt(effect);
  }

  end(): void {
    this.#commits.complete();
  }

  /** An error of one listener or effect does not affect the others. */
  #attempt(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#onError(error);
    }
  }
}
