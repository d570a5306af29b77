import type { PgBoss } from "pg-boss";
import { systemClock } from "../../actors/protocol/edge.ts";
import type { Clock } from "../../ports/clock.ts";
import type { TaskPools } from "../../ports/pools.ts";
import type { StoreIdentity } from "../../ports/store-identity.ts";
import type { WakeHandler, Wakes, WakeWork } from "../../ports/wakes.ts";
import { DEFAULT_POOL, poolProblem } from "../../wire/pool.ts";
import { ClusterError } from "../error.ts";
import { type BossOptions, openBoss } from "./boss.ts";
import { WakeLoop } from "./loop.ts";
import { pairWithStore } from "./pair.ts";
import {
  type DeliveredWake,
  PARKED,
  type ParkedTask,
  type PoolQueues,
  Queues,
  type RetryOptions,
  taskOf,
} from "./queues.ts";

/** The parts of `openPostgres` that wakes use. */
export interface WakesStore {
  readonly schema: string;
  readonly pools: Pick<TaskPools, "poolOf">;
  readonly identity: StoreIdentity;
}

/** Options of {@link openWakes}. */
export interface WakesOptions extends BossOptions, RetryOptions {
  /** The store of the tasks, which `openPostgres` returns. It knows the pools of the tasks. */
  readonly store: WakesStore;
  /** Schema of the tables. Default: the schema of the store with `_wakes`, such as `signalbox_wakes`. */
  readonly schema?: string;
  /** Called with errors of the background, which tries again: a lost connection, a wake that could not be fetched. */
  readonly onError: (error: unknown) => void;
  /** The clock; pass another one in tests. */
  readonly clock?: Clock;
}

/** Wakes in a database, by pg-boss in a schema of its own. */
export interface PostgresWakes extends Wakes {
  /** The tasks whose wakes failed too often, oldest first; at most 1,000. */
  parked(): Promise<readonly ParkedTask[]>;
  /** Wake a parked task again. */
  retry(taskId: string): Promise<void>;
  /** Listen for the wakes that this process handles, until the returned function is called. */
  onDelivered(listener: (wake: DeliveredWake) => void): () => void;
}

/**
 * Open the wakes of the tasks of a store. The schema is created if it doesn't exist. A store has one schema of wakes.
 *
 * @throws ClusterError `NODE_TOO_OLD`, `CLUSTER_OPTION`, `WAKES_UNAVAILABLE`, `CLUSTER_MISMATCH`
 */
export async function openWakes(options: WakesOptions): Promise<PostgresWakes> {
  const { store, schema = `${store.schema}_wakes`, onError, clock = systemClock } = options;
  const { boss, channel } = await openBoss(options, schema, onError);
  const queues = new Queues(boss, options);
  try {
    const storeId = await pairWithStore(boss, schema, store);
    await queues.start();
    return new BossWakes({ boss, channel, queues, pools: store.pools, storeId, onError, clock });
  } catch (error) {
    await boss.stop({ graceful: false });
    if (error instanceof ClusterError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ClusterError(
      "WAKES_UNAVAILABLE",
      `The wakes can't be prepared in schema ${schema}: ${reason}. Check the database, then open them again.`,
      { cause: error },
    );
  }
}

interface BossWakesOptions extends Pick<WakesOptions, "onError"> {
  readonly boss: PgBoss;
  /** Name of the notifications of new wakes. */
  readonly channel: string;
  readonly queues: Queues;
  readonly pools: WakesStore["pools"];
  readonly storeId: string;
  readonly clock: Clock;
}

class BossWakes implements PostgresWakes {
  readonly #options: BossWakesOptions;
  readonly #boss: PgBoss;
  readonly #loops = new Set<WakeLoop>();
  readonly #listeners = new Set<(wake: DeliveredWake) => void>();
  #isClosed = false;

  constructor(options: BossWakesOptions) {
    this.#options = options;
    this.#boss = options.boss;
  }

  get storeId(): string {
    return this.#options.storeId;
  }

  async wake(taskId: string, at?: number): Promise<void> {
    this.#assertOpen();
    const { pools, queues, clock } = this.#options;
    const pool = await queues.of(await pools.poolOf(taskId));
    if (at === undefined || at <= clock.now()) return this.#wakeNow(pool, taskId);
    const when = { singletonKey: `${taskId}@${at}`, startAfter: new Date(at) };
    await this.#boss.send(pool.due, { task: taskId }, when);
  }

  async work(
    handler: WakeHandler,
    { atOnce, pools = [DEFAULT_POOL] }: { readonly atOnce: number; readonly pools?: readonly string[] },
  ): Promise<WakeWork> {
    this.#assertOpen();
    assertPools(pools);
    if (!(Number.isInteger(atOnce) && atOnce > 0))
      throw new ClusterError("CLUSTER_OPTION", `Expected atOnce as a whole number above 0, got ${atOnce}.`);
    const { queues, channel, clock, onError } = this.#options;
    const loop = new WakeLoop({
      boss: this.#boss,
      pools: await Promise.all([...new Set(pools)].map((pool) => queues.of(pool))),
      handler,
      atOnce,
      clock,
      onError,
      wakeAgain: (pool, taskId) => this.#wakeNow(pool, taskId),
      notify: (pool) => this.#notify(pool),
      onDelivered: (wake) => {
        for (const listener of this.#listeners) listener(wake);
      },
    });
    this.#loops.add(loop);
    await loop.start(channel);
    return {
      stop: async () => {
        await loop.stop();
        this.#loops.delete(loop);
      },
    };
  }

  async parked(): Promise<readonly ParkedTask[]> {
    const jobs = await this.#boss.findJobs(PARKED, { queued: true });
    return jobs.map(({ data, createdOn }) => ({ taskId: taskOf(data), at: createdOn.getTime() }));
  }

  async retry(taskId: string): Promise<void> {
    const jobs = await this.#boss.findJobs(PARKED, { queued: true, data: { task: taskId } });
    await this.wake(taskId);
    if (jobs.length > 0)
      await this.#boss.deleteJob(
        PARKED,
        jobs.map(({ id }) => id),
      );
  }

  onDelivered(given: (wake: DeliveredWake) => void): () => void {
    const listener = (wake: DeliveredWake): void => given(wake);
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    await Promise.all([...this.#loops].map((loop) => loop.stop()));
    this.#isClosed = true;
    await this.#boss.stop({ graceful: false });
  }

  async #wakeNow({ pool, now }: PoolQueues, taskId: string): Promise<void> {
    // A wake that waits already is this one.
    const id = await this.#boss.send(now, { task: taskId }, { singletonKey: taskId });
    if (id !== null) await this.#notify(pool);
  }

  async #notify(pool: string): Promise<void> {
    await this.#boss.getDb().executeSql("SELECT pg_notify($1, $2)", [this.#options.channel, pool]);
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new ClusterError("WAKES_CLOSED", "These wakes are closed. Open them again.");
  }
}

/** @throws ClusterError `CLUSTER_OPTION` */
function assertPools(pools: readonly string[]): void {
  if (pools.length === 0)
    throw new ClusterError("CLUSTER_OPTION", "Expected at least one pool in pools, got none. Name one.");
  for (const pool of pools) {
    const problem = poolProblem(pool);
    if (problem !== undefined)
      throw new ClusterError("CLUSTER_OPTION", `${problem} Got ${JSON.stringify(pool)}.`);
  }
}
