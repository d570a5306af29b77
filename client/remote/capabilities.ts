import type { ParsedJsonEvent } from "../../wire/index.ts";

/** What the process can be asked for, as the first line of its output names it. */
export class Capabilities {
  readonly #names: Promise<ReadonlySet<string>>;
  #told: (names: ReadonlySet<string>) => void = () => {};
  #failed: (error: Error) => void = () => {};

  constructor() {
    this.#names = new Promise((resolve, reject) => {
      this.#told = resolve;
      this.#failed = reject;
    });
    // Nobody may be waiting when the process ends.
    this.#names.catch(() => undefined);
  }

  /** Resolves once that is known. @throws what the process ended with before */
  async has(name: string): Promise<boolean> {
    return (await this.#names).has(name);
  }

  told({ type, subtype, capabilities = [] }: ParsedJsonEvent): void {
    if (type === "system" && subtype === "init") this.#told(new Set(capabilities));
  }

  end(error: Error): void {
    this.#failed(error);
  }
}
