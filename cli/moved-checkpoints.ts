import { restoreCheckpoints, storeCheckpoints } from "../adapters/checkpoints/stored-checkpoints.ts";
import { plural } from "../present/plural.ts";
import { JournalError } from "../store/journal/error.ts";
import { readJournal } from "../store/journal/reader.ts";
import type { CheckpointRepositories, TaskWithObjects } from "../store/postgres/move/side.ts";
import { checkpointsIn } from "./recorded-checkpoints.ts";

/** The checkpoints in the repositories of a data folder, for tasks that are moved. */
export function movedCheckpoints(dataDir: string, env: NodeJS.ProcessEnv): CheckpointRepositories {
  return {
    store: async ({ objects, ...journal }) => {
      const { workspace, hashes } = await recordedIn(journal);
      if (workspace === undefined || hashes.length === 0) return undefined;
      const stored = await storeCheckpoints(hashes, { workspace, dataDir, objects, env });
      if (!stored.ok) return `Its checkpoints are only in ${dataDir}: ${stored.reason}`;
      return stored.missing === 0
        ? undefined
        : `${plural(stored.missing, "checkpoint")} were not copied: ${dataDir} lacks them.`;
    },
    restore: async ({ objects, ...journal }) => {
      const { workspace, hashes } = await recordedIn(journal);
      if (workspace === undefined || hashes.length === 0) return undefined;
      const restored = await restoreCheckpoints({ workspace, dataDir, objects, env });
      return restored.ok ? undefined : `Its checkpoints can't be restored in ${dataDir}: ${restored.reason}`;
    },
  };
}

interface RecordedTask {
  readonly workspace: string | undefined;
  readonly hashes: readonly string[];
}

/** The workspace and the checkpoints in a journal, as far as it can be read. */
async function recordedIn({ place, read }: Omit<TaskWithObjects, "objects">): Promise<RecordedTask> {
  let workspace: string | undefined;
  const hashes: string[] = [];
  try {
    for await (const record of readJournal({ path: place, read }, { onTail: () => {} })) {
      if (record.kind === "header") workspace = record.workspace;
      if (record.kind === "commit") hashes.push(...checkpointsIn(record).map(({ hash }) => hash));
    }
  } catch (error) {
    // A damaged journal is moved as it is.
    if (!(error instanceof JournalError)) throw error;
  }
  return { workspace, hashes };
}
