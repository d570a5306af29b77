import { createReadStream } from "node:fs";
import { open, readdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createFolder } from "../../files/create-folder.ts";
import { deletedMark, LOCK, PRIVATE_FILE, PRIVATE_FOLDER } from "../../files/data-folder.ts";
import { writePrivateFile } from "../../files/replace-file.ts";
import { syncFolders } from "../../files/sync-folders.ts";
import { acquireLock, releaseLock } from "../../journal/lock.ts";
import { markMoved, movedTo, unmarkMoved } from "../../journal/moved.ts";
import { fileObjects } from "../../objects/files.ts";
import { readName, writeName } from "../../task-history/file-name.ts";
import { hasJournal, taskIds } from "../../task-history/lookup.ts";
import { JOURNAL, taskFolder } from "../../task-history/task-folder.ts";
import type { CheckpointRepositories, HeldJournal, JournalSide } from "./side.ts";

/** The journals in a data folder. */
export function filesSide(dataDir: string, checkpoints?: CheckpointRepositories): JournalSide {
  return {
    checkpoints,
    place: resolve(dataDir),
    async *ids() {
      for (const id of [...(await taskIds(dataDir))].sort())
        if (await hasJournal(taskFolder(dataDir, id))) yield id;
    },
    hold: (id) => holdFile(taskFolder(dataDir, id)),
  };
}

async function holdFile(dir: string): Promise<HeldJournal> {
  const path = join(dir, JOURNAL);
  const first = createFolder(dir, PRIVATE_FOLDER);
  const lock = join(dir, LOCK);
  const nonce = await acquireLock(lock, path);
  return {
    place: path,
    movedTo: await movedTo(dir),
    objects: fileObjects({ dir }),
    name: () => readName(dir),
    async *read() {
      if (await hasJournal(dir)) yield* createReadStream(path);
    },
    async deletedSubtasks() {
      const prefix = deletedMark("");
      return (await readdir(dir)).flatMap((name) =>
        name.startsWith(prefix) ? [name.slice(prefix.length)] : [],
      );
    },
    async write(source) {
      // Before the journal: a parent without its marks would create deleted subtasks again.
      for (const id of await source.deletedSubtasks()) await writePrivateFile(join(dir, deletedMark(id)), "");
      await writeName(dir, await source.name());
      const draft = `${path}.moving`;
      try {
        const file = await open(draft, "w", PRIVATE_FILE);
        try {
          for await (const chunk of source.read()) await file.writeFile(chunk);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(draft, path);
      } finally {
        await rm(draft, { force: true });
      }
      await syncFolders(dir, first);
    },
    mark: (place) => markMoved(dir, place),
    unmark: () => unmarkMoved(dir),
    close: () => releaseLock(lock, nonce),
  };
}
