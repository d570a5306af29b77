import type { WakesStore } from "../../cluster/wakes/wakes.ts";
import { DEFAULT_POOL } from "../../wire/pool.ts";

const STORE_ID = "5b3f8f2e-0000-4000-8000-000000000000";

/** A store for wakes, in memory. `pools`: the pools of tasks that are not in `default`; `id`: the id of another store. */
export const memoryStore = (
  pools: ReadonlyMap<string, string> = new Map(),
  id: string = STORE_ID,
): WakesStore => ({
  schema: "signalbox",
  // Any wakes are its own.
  identity: { read: async () => ({ id }), claimWakes: async (wakes) => wakes },
  pools: { poolOf: async (taskId) => pools.get(taskId) ?? DEFAULT_POOL },
});
