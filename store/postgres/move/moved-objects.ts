import { createHash } from "node:crypto";
import type { ObjectFolder, TaskObjects } from "../../../ports/objects.ts";
import { ObjectError } from "../../objects/error.ts";
import { digestOf } from "./digest.ts";

const FOLDERS: readonly ObjectFolder[] = ["output", "checkpoints"];

/** Copy the objects that the target lacks or has with another content. @throws ObjectError */
export async function copyObjects(from: TaskObjects, to: TaskObjects): Promise<void> {
  for (const folder of FOLDERS) {
    const there = new Map((await to.list(folder)).map(({ name, bytes }) => [name, bytes]));
    for (const { name, bytes } of await from.list(folder))
      if (there.get(name) !== bytes || !(await isSame(name, from, to))) await to.put(name, from.read(name));
  }
}

/** The number of objects. @throws ObjectError */
export async function countObjects(objects: TaskObjects): Promise<number> {
  const lists = await Promise.all(FOLDERS.map((folder) => objects.list(folder)));
  return lists.flat().length;
}

const isSame = async (name: string, from: TaskObjects, to: TaskObjects): Promise<boolean> =>
  (await digestOf(from.read(name))).sha256 === (await digestOf(to.read(name))).sha256;

/** The same objects. Each one that is put is read back, and compared by its digest. */
export function comparedObjects(objects: TaskObjects, place: string): TaskObjects {
  return {
    list: (folder) => objects.list(folder),
    read: (name, from) => objects.read(name, from),
    async put(name, content) {
      const hash = createHash("sha256");
      await objects.put(
        name,
        hashing(content, (chunk) => hash.update(chunk)),
      );
      const expected = hash.digest("hex");
      const { sha256 } = await digestOf(objects.read(name));
      if (sha256 === expected) return;
      throw new ObjectError(
        "OBJECT_IO",
        `${place} ${name}`,
        `Expected the digest ${expected}, read back ${sha256}. Check the disk, then move the task again; the original is unchanged.`,
      );
    },
  };
}

async function* hashing(
  chunks: AsyncIterable<Uint8Array>,
  update: (chunk: Uint8Array) => unknown,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    update(chunk);
    yield chunk;
  }
}
