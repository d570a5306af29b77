import type { PassiveStorage } from "../../ports/journal.ts";
import type { TemporaryContent, TemporaryFile } from "../files/temporary-file.ts";
import { toJournalError } from "../journal/error.ts";

/**
 * The copy of one passive task in the temporary file of its process. Nobody else can lose or change it, so an activation never
 * needs the journal, which can't be read synchronously.
 */
export class PassiveCopy implements PassiveStorage {
  readonly #path: string;
  readonly #file: TemporaryFile;
  #content: TemporaryContent | undefined;
  /** Number of changes of the journal: a copy of before is of no use. */
  #changes = 0;

  /** `path`: the location of the journal, for messages. */
  constructor(path: string, file: TemporaryFile) {
    this.#path = path;
    this.#file = file;
  }

  /** A disk without space fails no append: this does not wait in the queue of the journal. @throws JournalError */
  async save(content: Uint8Array): Promise<void> {
    const changes = this.#changes;
    const saved = await this.#file.write(content).catch((error: unknown) => {
      throw toJournalError(this.#path, error);
    });
    if (changes !== this.#changes) {
      saved.remove();
      return;
    }
    this.#content?.remove();
    this.#content = saved;
  }

  load(): Uint8Array | undefined {
    try {
      return this.#content?.read();
    } catch (error) {
      throw toJournalError(this.#path, error);
    }
  }

  /** Remove the copy: the journal changes or closes. */
  remove(): void {
    this.#changes += 1;
    this.#content?.remove();
    this.#content = undefined;
  }
}
