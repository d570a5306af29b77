/** Folder of an object: full outputs of commands, or bundles of checkpoints. */
export type ObjectFolder = "output" | "checkpoints";

/** An object as a list has it. */
export interface StoredObject {
  /** Its folder, `/` and its name in the folder. */
  readonly name: string;
  readonly bytes: number;
}

/**
 * The objects of one task: contents that are too large for its journal. They are deleted with the task. Only the process
 * that owns the task's journal can put one. Every failure rejects with an `ObjectError`.
 */
export interface TaskObjects {
  /**
   * Store a content under a name such as `output/1.log`, in place of an earlier one. It is durable and visible as a whole
   * when it resolves. Until then, and if it fails, readers see no part of it; only where the storage loses its last response,
   * they may see all of it.
   *
   * @throws ObjectError `OBJECT_NAME`; `OBJECT_LOCKED` if this process does not own the task; `OBJECT_IO`
   * @throws the error of `content` if that fails
   */
  put(name: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * Read an object from a byte on, in chunks. Takes no lock and writes nothing.
   *
   * @throws ObjectError `OBJECT_NAME`, `OBJECT_MISSING`, `OBJECT_IO`; `OBJECT_CHANGED` if it was replaced while it was read
   */
  read(name: string, from?: number): AsyncIterable<Uint8Array>;
  /** The objects in a folder, sorted by name. @throws ObjectError `OBJECT_IO` */
  list(folder: ObjectFolder): Promise<readonly StoredObject[]>;
}
