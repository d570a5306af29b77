import { stat } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { anthropic } from "../../adapters/index.ts";
import type { LogEvent } from "../../machines/message/log.ts";
import { createHost } from "../../runtime/host.ts";
import { allowEverything } from "../../tools/index.ts";
import { type Commands, command, createFolders, measure } from "../harness/index.ts";

export const commands: Commands = {
  /** Run a task that writes one file, until it settles. */
  write: command(z.object({ url: z.string(), folder: z.string() }), async ({ url, folder }) => {
    const { workspace, dataDir } = await createFolders(folder);
    const host = createHost({ dataDir });
    const model = anthropic({ model: "bench-model", apiKey: "bench", baseURL: url });
    const task = await host.create({
      id: "task",
      model,
      workspace,
      permissions: { judge: allowEverything() },
    });
    const shown: (readonly LogEvent[])[] = [];
    task.events$.subscribe(({ commit }) => shown.push(commit.log));
    const spent = await measure(async () => {
      const { result } = await task.run("Go.");
      if (result === undefined) throw new Error("The task did not complete.");
      await host.closeAll();
    });
    const journal = await stat(path.join(dataDir, "tasks", "task", "journal.jsonl"));
    const written = await stat(path.join(workspace, "file.txt"));
    return {
      ...spent,
      // Counted after the measurement: the client's work is not part of it.
      shownBytes: shown.flat().reduce((bytes, event) => bytes + Buffer.byteLength(JSON.stringify(event)), 0),
      journaledBytes: journal.size,
      writtenBytes: written.size,
    };
  }),
};
