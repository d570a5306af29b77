import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { openWakes } from "../../cluster/wakes/wakes.ts";
import { Database } from "../../store/postgres/database.ts";
import { migrate } from "../../store/postgres/migrations.ts";
import { DEFAULT_SCHEMA } from "../../store/postgres/schema-name.ts";
import { openPostgres } from "../../store/postgres/store.ts";
import { Cluster } from "../harness/cluster.ts";
import { Processes } from "./processes.ts";
import type { WorkerInput } from "./worker-input.ts";

/** Starts and wakes that are sent at once. */
const SENT_AT_ONCE = 20;

/** A database and folders of one measurement, and its processes. */
export interface Places {
  readonly url: string;
  readonly processes: Processes;
  /** Start a process in an empty folder. */
  start(
    input: Pick<WorkerInput, "kind" | "turns" | "tasks" | "warmUp" | "atOnce">,
  ): ReturnType<Processes["start"]>;
}

/** @param workerFile The built program of a process. */
export async function withPlaces<T>(workerFile: string, work: (places: Places) => Promise<T>): Promise<T> {
  const cluster = await Cluster.start();
  const folder = await mkdtemp(path.join(tmpdir(), "bench-workers-"));
  const processes = new Processes(workerFile);
  const url = cluster.url();
  const folders = { journals: path.join(folder, "journals"), workspace: path.join(folder, "workspace") };
  try {
    await mkdir(folders.workspace);
    const database = await Database.open({ url });
    await migrate(database, DEFAULT_SCHEMA);
    await database.close();
    return await work({ url, processes, start: (input) => processes.start({ ...input, ...folders, url }) });
  } finally {
    await processes.killAll();
    await cluster.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Put the starts of tasks into their inboxes, and wake them. */
export async function sendStarts(url: string, ids: readonly string[]): Promise<void> {
  const store = await openPostgres({ url });
  const wakes = await openWakes({ url, store, onError: console.error });
  try {
    for (let from = 0; from < ids.length; from += SENT_AT_ONCE)
      await Promise.all(
        ids.slice(from, from + SENT_AT_ONCE).map(async (id) => {
          await store.inbox.put(id, "start", { kind: "start", prompt: "Go" });
          await wakes.wake(id);
        }),
      );
  } finally {
    await wakes.close();
    await store.close();
  }
}

export const taskIds = (prefix: string, length: number): readonly string[] =>
  Array.from({ length }, (_, n) => `${prefix}-${n}`);
