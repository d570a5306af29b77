import type { PgBoss, QueueOptions } from "pg-boss";
import { z } from "zod";

/** Wakes for now: at most one that waits, one that is retried and one that is worked on for each task. */
export const WAKES = "wake";
/** Wakes for later. At its time each is moved to {@link WAKES}. */
export const DUE = "due";
/** Tasks whose wakes failed too often. */
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

/** Create the queues that don't exist. */
export async function createQueues(boss: PgBoss, retry: RetryOptions): Promise<void> {
  const kept = { retentionSeconds: KEPT_S, deleteAfterSeconds: DELETED_AFTER_S };
  const { retries = 5, retryDelayS = 1, retryDelayMaxS = 60 } = retry;
  const held: QueueOptions = {
    ...kept,
    expireInSeconds: EXPIRES_S,
    heartbeatSeconds: HEARTBEAT_S,
    retryLimit: retries,
    retryDelay: retryDelayS,
    retryBackoff: true,
    retryDelayMax: retryDelayMaxS,
  };
  await boss.createQueue(PARKED, { ...kept, policy: "exclusive" });
  await boss.createQueue(WAKES, { ...held, policy: "stately", deadLetter: PARKED, partition: true });
  await boss.createQueue(DUE, { ...held, policy: "short", retryLimit: 2 ** 30, partition: true });
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
