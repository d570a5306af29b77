import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openTaskStore } from "../../cli/task-store.ts";
import { PostgresRig } from "../store/postgres/rig.ts";
import { hasPostgres } from "../support/postgres.ts";
import { temporaryFolder } from "./process.ts";

test.skipIf(!hasPostgres)(
  "the history of tasks in a database has who merged their files from the data folder",
  async () => {
    const folder = temporaryFolder();
    const rig = await PostgresRig.start();
    try {
      const worktree = path.join(folder.path, "worktrees", "a");
      mkdirSync(worktree, { recursive: true });
      writeFileSync(path.join(worktree, "end.json"), '{"version":1,"end":"merged","by":null,"at":5}');
      const store = await openTaskStore({ database: rig.cluster.url() }, folder.path, { env: {} });
      expect([...(await store.history.ownFiles(["a", "b"]))]).toEqual([
        ["a", { state: "merged", by: null, at: 5 }],
      ]);
      await store.close();
    } finally {
      await rig.remove();
      folder.remove();
    }
  },
);
