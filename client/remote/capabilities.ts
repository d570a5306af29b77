import type { ParsedJsonEvent } from "../../wire/ndjson/event.ts";

/** The capabilities of the process, from the first line of its output. */
export class Capabilities {
  readonly #names: Promise<ReadonlySet<string>>;
  #resolve: (names: ReadonlySet<string>) => void = () => {};
  #reject: (error: Error) => void = () => {};

  constructor() {
    this.#names = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // The process may end before anyone waits.
    this.#names.catch(() => undefined);
  }

  /** Resolves when the first line has arrived. @throws the error with which the process ended before */
  async has(name: string): Promise<boolean> {
    return (await this.#names).has(name);
  }

  read({ type, subtype, capabilities = [] }: ParsedJsonEvent): void {
    if (type === "system" && subtype === "init") this.#resolve(new Set(capabilities));
  }

  end(error: Error): void {
    this.#reject(error);
  }
}
