import type { Branch } from "./process.ts";

/** The branches of a choice. Equal ones are merged. */
export class Branches {
  readonly #branches = new Map<string, Branch>();

  add({ probability, ...branch }: Branch): void {
    const key = JSON.stringify([branch.to, branch.audits, branch.ran]);
    const before = this.#branches.get(key)?.probability ?? 0;
    this.#branches.set(key, { ...branch, probability: before + probability });
  }

  get all(): readonly Branch[] {
    return [...this.#branches.values()];
  }
}
