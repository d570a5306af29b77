import type { JobAttempt, JobWithMetadata, PgBoss } from "pg-boss";
import type { Clock } from "../../ports/clock.ts";
import type { WakeHandler } from "../../ports/wakes.ts";
import { type DeliveredWake, DUE, HEARTBEAT_S, taskOf, WAKES } from "./queues.ts";

interface LoopOptions {
  readonly boss: PgBoss;
  readonly handler: WakeHandler;
  readonly atOnce: number;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
  /** Wake a task that this worker did not finish with. */
  readonly wakeAgain: (taskId: string) => Promise<void>;
  /** Notify the loops of all workers. */
  readonly notify: () => Promise<void>;
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
  readonly attempt: JobAttempt;
  readonly ended: Promise<void>;
}

/**
 * Fetches wakes for the handler: when one is notified, when a handler has ended, and at each tick. One statement fetches
 * for all free places, and one gives a sign of life for all wakes that are worked on.
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

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  /** Listen, and take the wakes that wait. Without notifications, as behind a pooler, the ticks find them. */
  async start(channel: string): Promise<void> {
    const look = (): void => this.#look();
    try {
      this.#listener = await this.#options.boss.getDb().listen?.(channel, look, look);
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
    await this.#moveDue();
    await this.#options.boss.supervise(WAKES);
  }

  /** Give a sign of life for all wakes that are worked on. */
  async #beat(): Promise<void> {
    const attempts = [...this.#held.values()].map(({ attempt }) => attempt);
    if (attempts.length > 0) await this.#options.boss.touch(WAKES, attempts);
  }

  /** Move the wakes whose time has come to the others. A worker that dies in between leaves them to be moved again. */
  async #moveDue(): Promise<void> {
    const { boss, notify } = this.#options;
    for (let length = BATCH; length === BATCH && !this.#stop.signal.aborted; ) {
      const jobs = await boss.fetch(DUE, { batchSize: BATCH });
      length = jobs.length;
      if (length === 0) return;
      const tasks = [...new Set(jobs.map(({ data }) => taskOf(data)))];
      await boss.insert(
        WAKES,
        tasks.map((task) => ({ data: { task }, singletonKey: task })),
      );
      await boss.complete(DUE, jobs.map(attemptOf));
      await notify();
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
    const batchSize = Math.min(this.#options.atOnce - this.#held.size, BATCH);
    if (batchSize <= 0) return;
    const jobs = await this.#options.boss.fetch(WAKES, { batchSize, includeMetadata: true });
    for (const job of jobs) this.#hold(job);
    if (jobs.length === batchSize) this.#isStale = true;
  }

  #hold(job: JobWithMetadata<unknown>): void {
    const attempt = attemptOf(job);
    this.#options.onDelivered({ taskId: taskOf(job.data), waitedMs: waitedMs(job) });
    const ended = this.#reported(() => this.#handle(taskOf(job.data), attempt)).finally(() => {
      this.#held.delete(job.id);
      this.#look();
    });
    this.#held.set(job.id, { attempt, ended });
  }

  async #handle(taskId: string, attempt: JobAttempt): Promise<void> {
    const { boss, handler, wakeAgain } = this.#options;
    try {
      await handler(taskId, this.#stop.signal);
    } catch (error) {
      if (!this.#stop.signal.aborted) {
        await boss.fail(WAKES, attempt, { message: error instanceof Error ? error.message : String(error) });
        return;
      }
      // It did not fail: another worker continues at once.
      await wakeAgain(taskId);
    }
    await boss.complete(WAKES, attempt);
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
