import type { PgBoss } from "pg-boss";
import { systemClock } from "../../actors/protocol/edge.ts";
import type { Clock } from "../../ports/clock.ts";
import type { WakeHandler, Wakes, WakeWork } from "../../ports/wakes.ts";
import { ClusterError } from "../error.ts";
import { type BossOptions, openBoss } from "./boss.ts";
import { WakeLoop } from "./loop.ts";
import {
  createQueues,
  type DeliveredWake,
  DUE,
  PARKED,
  type ParkedTask,
  type RetryOptions,
  taskOf,
  WAKES,
} from "./queues.ts";

/** Options of {@link openWakes}. */
export interface WakesOptions extends BossOptions, RetryOptions {
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
 * Open the wakes of tasks. The schema is created if it doesn't exist.
 *
 * @throws ClusterError `NODE_TOO_OLD`, `CLUSTER_OPTION`, `WAKES_UNAVAILABLE`
 */
export async function openWakes(options: WakesOptions): Promise<PostgresWakes> {
  const { onError, clock = systemClock } = options;
  const boss = await openBoss(options, onError);
  try {
    await createQueues(boss.boss, options);
  } catch (error) {
    await boss.boss.stop({ graceful: false });
    throw new ClusterError("WAKES_UNAVAILABLE", `The queues could not be created: ${String(error)}`, {
      cause: error,
    });
  }
  return new BossWakes(boss.boss, boss.channel, onError, clock);
}

class BossWakes implements PostgresWakes {
  readonly #boss: PgBoss;
  /** Name of the notifications of new wakes. */
  readonly #channel: string;
  readonly #onError: (error: unknown) => void;
  readonly #clock: Clock;
  readonly #loops = new Set<WakeLoop>();
  readonly #listeners = new Set<(wake: DeliveredWake) => void>();
  #isClosed = false;

  constructor(boss: PgBoss, channel: string, onError: (error: unknown) => void, clock: Clock) {
    this.#boss = boss;
    this.#channel = channel;
    this.#onError = onError;
    this.#clock = clock;
  }

  async wake(taskId: string, at?: number): Promise<void> {
    this.#assertOpen();
    const data = { task: taskId };
    if (at !== undefined && at > this.#clock.now()) {
      const startAfter = new Date(at);
      await this.#boss.send(DUE, data, { singletonKey: `${taskId}@${at}`, startAfter });
      return;
    }
    // A wake that waits already is this one.
    const id = await this.#boss.send(WAKES, data, { singletonKey: taskId });
    if (id !== null) await this.#notify();
  }

  async work(handler: WakeHandler, { atOnce }: { readonly atOnce: number }): Promise<WakeWork> {
    this.#assertOpen();
    if (!(Number.isInteger(atOnce) && atOnce > 0))
      throw new ClusterError("CLUSTER_OPTION", `Expected atOnce as a whole number above 0, got ${atOnce}.`);
    const loop = new WakeLoop({
      boss: this.#boss,
      handler,
      atOnce,
      clock: this.#clock,
      onError: this.#onError,
      wakeAgain: (taskId) => this.wake(taskId),
      notify: () => this.#notify(),
      onDelivered: (wake) => {
        for (const listener of this.#listeners) listener(wake);
      },
    });
    this.#loops.add(loop);
    await loop.start(this.#channel);
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

  async #notify(): Promise<void> {
    await this.#boss.getDb().executeSql("SELECT pg_notify($1, '')", [this.#channel]);
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new ClusterError("WAKES_CLOSED", "These wakes are closed. Open them again.");
  }
}
