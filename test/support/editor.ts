import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { EditorPort } from "../../tools/index.ts";

/** An editor of a folder that keeps unsaved texts in memory and saves to disk. */
export class MemoryEditor implements EditorPort {
  /** The unsaved texts, by path relative to the folder. */
  readonly unsaved = new Map<string, string>();
  /** Every path that the editor was given. */
  readonly given: string[] = [];
  readonly #dir: string;
  readonly #format: (text: string) => string;

  constructor(dir: string, format: (text: string) => string = (text) => text) {
    this.#dir = dir;
    this.#format = format;
  }

  readBuffer(name: string): string | undefined {
    this.given.push(name);
    return this.unsaved.get(name);
  }

  async save(name: string, text: string): Promise<void> {
    this.given.push(`save ${name}`);
    await writeFile(path.join(this.#dir, name), this.#format(text));
    this.unsaved.delete(name);
  }
}
