import type { Leave } from "./settings.ts";

/** The exit code, once somebody has set it. */
export class Exit {
  readonly code: Promise<number>;
  #isSet = false;
  #resolve: (code: number) => void = () => {};

  constructor() {
    this.code = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get isSet(): boolean {
    return this.#isSet;
  }

  readonly leave: Leave = (code) => {
    this.#isSet = true;
    this.#resolve(code);
  };
}
