import { z } from "zod";
import { count, type Result } from "./database.ts";
import type { Tables } from "./tables.ts";

/**
 * The tasks that a worker of this process released without an answer of the database, and the epochs in which it owned them. While
 * the worker renews its lease nobody else could own such a task, so its next renewals repeat the release. Undefined: the
 * claim had no answer either, so that the epoch must be read first.
 */
const lost = new Map<string, Map<string, number | undefined>>();

const EpochRow = z.object({ task: z.string().nullable(), epoch: count.nullable() });

/** Note a release that failed. */
export function noteLostRelease(worker: string, task: string, epoch: number | undefined): void {
  const tasks = lost.get(worker) ?? new Map<string, number | undefined>();
  lost.set(worker, tasks.set(task, epoch));
}

/** Forget a release: the worker claims the task again. Absent `task`: the worker's lease has ended. */
export function forgetRelease(worker: string, task?: string): void {
  const tasks = lost.get(worker);
  if (task !== undefined) tasks?.delete(task);
  if (task === undefined || tasks?.size === 0) lost.delete(worker);
}

/** A statement that renews a lease and repeats the releases that were lost. */
export interface ReleasingRenewal {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Note the result. Returns whether the lease was renewed. */
  readonly note: (result: Result) => boolean;
}

/**
 * Add the lost releases of a worker to the statement of its renewal, whose values are given. A release holds only for its epoch,
 * so one that was executed, or whose task was claimed again, changes nothing. Undefined if no release was lost.
 */
export function releasingRenewal(
  { task, record }: Tables,
  renewal: string,
  worker: string,
  values: readonly unknown[],
): ReleasingRenewal | undefined {
  const tasks = lost.get(worker);
  if (tasks === undefined) return undefined;
  const known = [...tasks].flatMap(([id, epoch]) => (epoch === undefined ? [] : [{ id, epoch }]));
  const unknown = [...tasks].flatMap(([id, epoch]) => (epoch === undefined ? [id] : []));
  const next = values.length + 1;
  return {
    text: `WITH renewed AS (${renewal} RETURNING id), released AS (
        UPDATE ${task} t SET owner = NULL, owned_since = NULL, last_n = (SELECT max(n) FROM ${record} WHERE task = t.id)
          FROM renewed, unnest($${next}::text[], $${next + 1}::bigint[]) AS lost(task, epoch)
          WHERE t.id = lost.task AND t.epoch = lost.epoch AND t.owner = renewed.id
      ) SELECT t.id AS task, t.epoch FROM renewed LEFT JOIN ${task} t ON t.owner = renewed.id AND t.id = ANY($${next + 2}::text[])`,
    values: [...values, known.map(({ id }) => id), known.map(({ epoch }) => epoch), unknown],
    note({ rows }) {
      for (const { id, epoch } of known) if (tasks.get(id) === epoch) forgetRelease(worker, id);
      const found = new Map(
        rows.map((row) => EpochRow.parse(row)).map((row) => [row.task, row.epoch ?? undefined] as const),
      );
      for (const id of unknown) {
        // The worker may have claimed it in the meantime.
        if (!tasks.has(id)) continue;
        const epoch = found.get(id);
        if (epoch === undefined) forgetRelease(worker, id);
        else noteLostRelease(worker, id, epoch);
      }
      return rows.length > 0;
    },
  };
}
