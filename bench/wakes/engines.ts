import { PgBoss } from "pg-boss";
import { openWakes, type WakesStore } from "../../cluster/wakes/wakes.ts";
import type { Wakes } from "../../ports/wakes.ts";

/** The ways to deliver wakes that are compared. */
export const ENGINES = ["signalbox", "pg-boss notify", "pg-boss poll"] as const;

export type Engine = (typeof ENGINES)[number];

/** Shortest interval that pg-boss polls at, in seconds. */
const POLL_S = 0.5;

/** All tasks are in one pool. */
const STORE: WakesStore = {
  schema: "signalbox",
  pools: { poolOf: async () => "default" },
  identity: {
    read: async () => ({ id: "5b3f8f2e-0000-4000-8000-000000000000" }),
    claimWakes: async (id) => id,
  },
};

const report = (error: unknown): void => console.error(error instanceof Error ? error.message : error);

/** Open wakes. `signalbox`: openWakes. The others: `work` of pg-boss as its documentation shows it. */
export async function openEngine(engine: Engine, url: string): Promise<Wakes> {
  if (engine === "signalbox") return openWakes({ url, store: STORE, onError: report });
  const notify = engine === "pg-boss notify";
  const boss = new PgBoss({
    connectionString: url,
    schema: notify ? "boss_notify" : "boss_poll",
    schedule: false,
    useListenNotify: notify,
    superviseIntervalSeconds: 1,
    monitorIntervalSeconds: 1,
  });
  boss.on("error", report);
  await boss.start();
  const options = { heartbeatSeconds: 10, retryDelay: 1, notify } as const;
  await boss.createQueue("wake", { ...options, policy: "stately" });
  return {
    async wake(taskId, at) {
      const startAfter = at === undefined ? {} : { startAfter: new Date(at) };
      await boss.send("wake", { task: taskId }, { singletonKey: taskId, ...startAfter });
    },
    async work(handler, { atOnce }) {
      const settings = { localConcurrency: atOnce, pollingIntervalSeconds: POLL_S };
      await boss.work<{ task: string }>("wake", settings, async ([job]) => {
        if (job !== undefined) await handler(job.data.task, job.signal);
      });
      return { stop: () => boss.offWork("wake") };
    },
    close: () => boss.stop({ graceful: false }),
  };
}
