import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readdir, rename, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import path from "node:path";
import type { ObjectFolder, StoredObject, TaskObjects } from "../../ports/objects.ts";
import { createFolder } from "../files/create-folder.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../files/data-folder.ts";
import { syncFolders } from "../files/sync-folders.ts";
import { systemCode } from "../files/system-code.ts";
import { journalHolder } from "../journal/holder.ts";
import { Content } from "./content.ts";
import { missingError, notOwnedError, toObjectError } from "./error.ts";
import { assertObjectName, isObjectName } from "./object-name.ts";

export interface FileObjectsOptions {
  /** The task's folder, which `fileJournal` also has. */
  readonly dir: string;
}

/** Bytes per read. */
const READ_CHUNK_BYTES = 1024 * 1024;

/**
 * Create the objects of a task in files of its folder (mode 0600), such as `output/1.log`. The lock of the journal says who
 * owns the task. A file is written under a hidden name, then renamed.
 */
export function fileObjects({ dir }: FileObjectsOptions): TaskObjects {
  return new FileObjects(path.resolve(dir));
}

class FileObjects implements TaskObjects {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  async put(name: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const file = this.#pathOf(name);
    await this.#assertOwned(file);
    const folder = path.dirname(file);
    const draft = path.join(folder, `.${path.basename(file)}.${randomUUID()}`);
    const content = new Content(chunks);
    try {
      const first = createFolder(folder, PRIVATE_FOLDER);
      await writeDraft(draft, content);
      await this.#assertOwned(file);
      await rename(draft, file);
      await syncFolders(folder, first);
    } catch (error) {
      throw content.toError(file, error);
    } finally {
      await rm(draft, { force: true });
    }
  }

  async *read(name: string, from = 0): AsyncGenerator<Uint8Array> {
    const file = this.#pathOf(name);
    try {
      yield* createReadStream(file, { start: from, highWaterMark: READ_CHUNK_BYTES });
    } catch (error) {
      throw systemCode(error) === "ENOENT" ? missingError(file) : toObjectError(file, error);
    }
  }

  async list(folder: ObjectFolder): Promise<readonly StoredObject[]> {
    const place = path.join(this.#dir, folder);
    try {
      const names = await readdir(place);
      const objects: StoredObject[] = [];
      for (const name of names.map((each) => `${folder}/${each}`).filter(isObjectName))
        objects.push({ name, bytes: (await stat(path.join(this.#dir, name))).size });
      return objects.sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch (error) {
      if (systemCode(error) === "ENOENT") return [];
      throw toObjectError(place, error);
    }
  }

  /** @throws ObjectError `OBJECT_NAME` */
  #pathOf(name: string): string {
    assertObjectName(name, this.#dir);
    return path.join(this.#dir, name);
  }

  /** @throws ObjectError `OBJECT_LOCKED` */
  async #assertOwned(file: string): Promise<void> {
    const holder = await journalHolder(this.#dir).catch((error: unknown): never => {
      throw toObjectError(file, error);
    });
    const isOwn = holder?.isSeen === true && holder.pid === process.pid && holder.host === hostname();
    if (!isOwn) throw notOwnedError(file);
  }
}

async function writeDraft(draft: string, content: Content): Promise<void> {
  const file = await open(draft, "wx", PRIVATE_FILE);
  try {
    for await (const chunk of content) await file.writeFile(chunk);
    await file.sync();
  } finally {
    await file.close();
  }
}
