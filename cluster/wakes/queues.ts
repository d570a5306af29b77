import type { PgBoss, Queue } from "pg-boss";
import { z } from "zod";
import { DEFAULT_POOL } from "../../wire/pool.ts";

/** The queues of the wakes of a pool. */
export interface PoolQueues {
  readonly pool: string;
  /** Wakes for now: at most one that waits, one that is retried and one that is worked on for each task. */
  readonly now: string;
  /** Wakes for later. At its time each is moved to `now`. */
  readonly due: string;
}

/** Tasks whose wakes failed too often, of all pools. */
export const PARKED = "parked";

/** Ten years: a due time may be far, and a parked task waits for a person. */
const KEPT_S = 10 * 365 * 86_400;
/** Time for which the row of a handled wake stays, in seconds. */
const DELETED_AFTER_S = 60;
/** Longest time that the package allows. A wake that is worked on for longer is delivered to another worker, which finds the owner. */
const EXPIRES_S = 23 * 3600;

/** Time without a sign of life after which a worker is taken for dead, in seconds: the shortest that the package allows. */
export const HEARTBEAT_S = 10;

/** How wakes are retried. */
export interface RetryOptions {
  /** Times that a wake is tried again. Default 5. */
  readonly retries?: number;
  /** Delay before the first retry, in seconds. It doubles with each. Default 1. */
  readonly retryDelayS?: number;
  /** Longest delay, in seconds. Default 60. */
  readonly retryDelayMaxS?: number;
}

const KEPT = { retentionSeconds: KEPT_S, deleteAfterSeconds: DELETED_AFTER_S };

/** The queues of all pools. The queues of a pool are created when this process first uses them. */
export class Queues {
  readonly #boss: PgBoss;
  readonly #retry: RetryOptions;
  readonly #pools = new Map<string, Promise<PoolQueues>>();

  constructor(boss: PgBoss, retry: RetryOptions) {
    this.#boss = boss;
    this.#retry = retry;
  }

  /** Create the queues that are used in any case, unless they exist. */
  async start(): Promise<void> {
    await this.#boss.createQueue(PARKED, { ...KEPT, policy: "exclusive" });
    await this.of(DEFAULT_POOL);
  }

  /** The queues of a pool, which exist. */
  of(pool: string): Promise<PoolQueues> {
    const known = this.#pools.get(pool);
    if (known !== undefined) return known;
    const created = this.#create(pool);
    this.#pools.set(pool, created);
    // The next call tries again.
    created.catch(() => this.#pools.delete(pool));
    return created;
  }

  async #create(pool: string): Promise<PoolQueues> {
    const { retries = 5, retryDelayS = 1, retryDelayMaxS = 60 } = this.#retry;
    const isDefault = pool === DEFAULT_POOL;
    const held: Omit<Queue, "name"> = {
      ...KEPT,
      expireInSeconds: EXPIRES_S,
      heartbeatSeconds: HEARTBEAT_S,
      retryLimit: retries,
      retryDelay: retryDelayS,
      retryBackoff: true,
      retryDelayMax: retryDelayMaxS,
      // A table of its own takes long to create, and a client names the pool.
      partition: isDefault,
    };
    const suffix = isDefault ? "" : `/${pool}`;
    const queues = { pool, now: `wake${suffix}`, due: `due${suffix}` };
    await this.#boss.createQueue(queues.now, { ...held, policy: "stately", deadLetter: PARKED });
    await this.#boss.createQueue(queues.due, { ...held, policy: "short", retryLimit: 2 ** 30 });
    return queues;
  }
}

const WakeData = z.object({ task: z.string() });

/** The task of a row. */
export const taskOf = (data: unknown): string => WakeData.parse(data).task;

/** A wake that a worker begins to handle. */
export interface DeliveredWake {
  readonly taskId: string;
  /** Time since it was added, or found to be due, by the database's clock, in ms. */
  readonly waitedMs: number;
}

/** A task whose wakes failed too often. Nothing works on it until it is woken again. */
export interface ParkedTask {
  readonly taskId: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}
