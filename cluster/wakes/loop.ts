import type { JobAttempt, JobWithMetadata, PgBoss } from "pg-boss";
import type { Clock } from "../../ports/clock.ts";
import type { WakeHandler } from "../../ports/wakes.ts";
import { type DeliveredWake, HEARTBEAT_S, type PoolQueues, taskOf } from "./queues.ts";

interface LoopOptions {
  readonly boss: PgBoss;
  /** The queues of the pools whose wakes are handled. */
  readonly pools: readonly PoolQueues[];
  readonly handler: WakeHandler;
  readonly atOnce: number;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  /** Wake a task that this worker did not finish with. The store may be closed. */
  readonly wakeAgain: (queues: PoolQueues, taskId: string) => Promise<void>;
  /** Notify the loops of the workers of a pool. */
  readonly notify: (pool: string) => Promise<void>;
  /** Called before the handler. */
  readonly onDelivered: (wake: DeliveredWake) => void;
}

/** Interval at which due wakes, retries and dead workers are looked for, in ms. New wakes are notified. */
const TICK_MS = 1_000;
/** Ticks between two signs of life. */
const TICKS_OF_BEAT = Math.floor(HEARTBEAT_S / 3);
/** Rows that one statement fetches. */
const BATCH = 100;

/** A wake that this worker works on. */
interface HeldWake {
  readonly queues: PoolQueues;
  readonly attempt: JobAttempt;
  readonly ended: Promise<void>;
}

/**
 * Fetches wakes for the handler: when one is notified, when a handler has ended, and at each tick. For each pool, one statement
 * fetches for all free places, and one gives a sign of life for all wakes that are worked on.
 *
 * `work` of pg-boss has a loop for each place. With notifications it finds retries and due times only every 30 s, and each
 * notification wakes every loop; without, each loop asks twice a second (docs/generated/wakes.txt).
 */
export class WakeLoop {
  readonly #options: LoopOptions;
  readonly #stop = new AbortController();
  readonly #held = new Map<string, HeldWake>();
  #listener: { close(): Promise<void> } | undefined;
  #cancelTick = (): void => {};
  #ticks = 0;
  #ticking: Promise<void> = Promise.resolve();
  /** The fetch under way. */
  #fetching: Promise<void> | undefined;
  /** Whether something was notified since that fetch began. */
  #isStale = false;
  /** The pools in the order in which they are asked next. */
  #pools: readonly PoolQueues[];

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#pools = options.pools;
  }

  /** Listen, and take the wakes that wait. Without notifications, as behind a pooler, the ticks find them. */
  async start(channel: string): Promise<void> {
    const look = (): void => this.#look();
    const notified = (pool: string): void => {
      if (this.#pools.some((each) => each.pool === pool)) look();
    };
    try {
      this.#listener = await this.#options.boss.getDb().listen?.(channel, notified, look);
    } catch (error) {
      this.#options.onError(error);
    }
    this.#tickLater();
    look();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#listener?.close();
    await this.#fetching;
    // The signs of life go on until the last handler has ended.
    await Promise.all([...this.#held.values()].map(({ ended }) => ended));
    this.#cancelTick();
    await this.#ticking;
    this.#cancelTick();
  }

  #tickLater(): void {
    this.#cancelTick = this.#options.clock.after(TICK_MS, () => {
      this.#ticking = this.#reported(() => this.#tick()).finally(() => this.#tickLater());
    });
  }

  async #tick(): Promise<void> {
    this.#ticks += 1;
    this.#look();
    if (this.#ticks % TICKS_OF_BEAT === 0) await this.#beat();
    if (this.#stop.signal.aborted) return;
    for (const queues of this.#options.pools) {
      await this.#moveDue(queues);
      await this.#options.boss.supervise(queues.now);
    }
  }

  /** Give a sign of life for all wakes that are worked on. */
  async #beat(): Promise<void> {
    const held = [...this.#held.values()];
    for (const pool of this.#options.pools) {
      const attempts = held.filter(({ queues }) => queues === pool).map(({ attempt }) => attempt);
      if (attempts.length > 0) await this.#options.boss.touch(pool.now, attempts);
    }
  }

  /** Move the wakes whose time has come to the others. A worker that dies in between leaves them to be moved again. */
  async #moveDue({ pool, now, due }: PoolQueues): Promise<void> {
    const { boss, notify } = this.#options;
    for (let length = BATCH; length === BATCH && !this.#stop.signal.aborted; ) {
      const jobs = await boss.fetch(due, { batchSize: BATCH });
      length = jobs.length;
      if (length === 0) return;
      const tasks = [...new Set(jobs.map(({ data }) => taskOf(data)))];
      await boss.insert(
        now,
        tasks.map((task) => ({ data: { task }, singletonKey: task })),
      );
      await boss.complete(due, jobs.map(attemptOf));
      await notify(pool);
    }
  }

  #look(): void {
    if (this.#stop.signal.aborted) return;
    if (this.#fetching !== undefined) {
      this.#isStale = true;
      return;
    }
    this.#isStale = false;
    this.#fetching = this.#reported(() => this.#fetch()).finally(() => {
      this.#fetching = undefined;
      if (this.#isStale) this.#look();
    });
  }

  async #fetch(): Promise<void> {
    const served = new Set<PoolQueues>();
    for (const queues of this.#pools) {
      const batchSize = Math.min(this.#options.atOnce - this.#held.size, BATCH);
      if (batchSize <= 0) break;
      const jobs = await this.#options.boss.fetch(queues.now, { batchSize, includeMetadata: true });
      for (const job of jobs) this.#hold(queues, job);
      if (jobs.length > 0) served.add(queues);
      if (jobs.length === batchSize) this.#isStale = true;
    }
    // A pool with many wakes does not keep the others waiting.
    this.#pools = [...this.#pools.filter((each) => !served.has(each)), ...served];
  }

  #hold(queues: PoolQueues, job: JobWithMetadata<unknown>): void {
    const attempt = attemptOf(job);
    this.#options.onDelivered({ taskId: taskOf(job.data), waitedMs: waitedMs(job) });
    const ended = this.#reported(() => this.#handle(queues, taskOf(job.data), attempt)).finally(() => {
      this.#held.delete(job.id);
      this.#look();
    });
    this.#held.set(job.id, { queues, attempt, ended });
  }

  async #handle(queues: PoolQueues, taskId: string, attempt: JobAttempt): Promise<void> {
    const { boss, handler, wakeAgain } = this.#options;
    try {
      await handler(taskId, this.#stop.signal);
    } catch (error) {
      if (!this.#stop.signal.aborted) {
        await boss.fail(queues.now, attempt, {
          message: error instanceof Error ? error.message : String(error),
        });
        return;
      }
      // It did not fail: another worker continues at once.
      await wakeAgain(queues, taskId);
    }
    await boss.complete(queues.now, attempt);
  }

  async #reported(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.onError(error);
    }
  }
}

/** A retry waits from its time on. */
const waitedMs = ({
  createdOn,
  startAfter,
  startedOn,
}: Pick<JobWithMetadata, "createdOn" | "startAfter" | "startedOn">): number =>
  Math.max(0, startedOn.getTime() - Math.max(createdOn.getTime(), startAfter.getTime()));

const attemptOf = ({ id, retryCount }: JobAttempt): JobAttempt => ({ id, retryCount });
