import type { WakesStore } from "../../cluster/wakes/wakes.ts";
import { DEFAULT_POOL } from "../../wire/pool.ts";

/** A store for wakes, in memory. `pools`: the pools of tasks that are not in `default`. */
export const memoryStore = (pools: ReadonlyMap<string, string> = new Map()): WakesStore => ({
  schema: "signalbox",
  pools: { poolOf: async (taskId) => pools.get(taskId) ?? DEFAULT_POOL },
});
