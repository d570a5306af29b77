import { z } from "zod";
import type { TaskObjects } from "../../../ports/objects.ts";
import { Database } from "../../../store/postgres/database.ts";
import { leasesOf } from "../../../store/postgres/leases.ts";
import { databaseSide } from "../../../store/postgres/move/database.ts";
import { filesSide } from "../../../store/postgres/move/files.ts";
import { moveTasks } from "../../../store/postgres/move/move.ts";
import type { HeldJournal, JournalSide } from "../../../store/postgres/move/side.ts";
import { tablesIn } from "../../../store/postgres/tables.ts";

/** The step that the process is killed in. */
export const MoverInput = z.object({
  url: z.string(),
  dataDir: z.string(),
  from: z.enum(["files", "database"]),
  step: z.enum(["object", "journal", "mark"]),
});

// Moves tasks up to a step, then waits to be killed.
const { url, dataDir, from, step } = MoverInput.parse(JSON.parse(process.argv[2] ?? ""));
// Keeps the process running.
process.on("message", () => {});

const stop = async (): Promise<never> => {
  process.send?.("stopped");
  return new Promise<never>(() => {});
};

async function* cut(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    yield chunk;
    await stop();
  }
}

const stoppingObjects = (objects: TaskObjects): TaskObjects => ({
  list: (folder) => objects.list(folder),
  read: (name, at) => objects.read(name, at),
  put: (name, content) => objects.put(name, step === "object" ? cut(content) : content),
});

/** A side that stops in its step, as the source or as the target. */
function stopping(side: JournalSide): JournalSide {
  const hold = async (id: string): Promise<HeldJournal> => {
    const held = await side.hold(id);
    return {
      ...held,
      objects: stoppingObjects(held.objects),
      write: (source, has) => (step === "journal" ? stop() : held.write(source, has)),
      mark: (place) => (step === "mark" ? stop() : held.mark(place)),
    };
  };
  return { ...side, hold };
}

const database = await Database.open({ url });
const tables = tablesIn("signalbox");
const leases = leasesOf(database, tables, {});
const rows = stopping(databaseSide({ database, tables, schema: "signalbox", leases }));
const files = stopping(filesSide(dataDir));
for await (const _ of from === "files" ? moveTasks(files, rows) : moveTasks(rows, files)) {
}
