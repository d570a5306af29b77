import type { Statements } from "./database.ts";
import { lockSummaries } from "./history/summaries.ts";
import type { Tables } from "./tables.ts";

/** A task to remove, as its owner left it. */
interface RemovedTask {
  readonly id: string;
  readonly worker: string;
  readonly epoch: number;
  readonly parentId: string | undefined;
}

/**
 * Remove all rows of a task in a transaction but the place that its owner took, which a stale append would need, and mark it as a deleted subtask of its parent, if that exists. Resolves with
 * false if the worker no longer owns it.
 */
export async function removeRows(
  statements: Statements,
  tables: Tables,
  { id, worker, epoch, parentId }: RemovedTask,
): Promise<boolean> {
  const { task, record, torn, deleted_subtask, inbox, task_pool, task_summary } = tables;
  await lockSummaries(statements, tables);
  const owned = await statements.query(
    `SELECT FROM ${task} WHERE id = $1 AND owner = $2 AND epoch = $3 FOR UPDATE`,
    [id, worker, epoch],
  );
  if (owned.rows.length === 0) return false;
  if (parentId !== undefined)
    await statements.query(
      `INSERT INTO ${deleted_subtask} (task, subtask) SELECT id, $2 FROM ${task} WHERE id = $1 ON CONFLICT DO NOTHING`,
      [parentId, id],
    );
  await statements.query(
    `DELETE FROM ${record} WHERE task = $1 AND n < (SELECT max(n) FROM ${record} WHERE task = $1)`,
    [id],
  );
  await statements.query(`UPDATE ${record} SET from_byte = 0, content = '' WHERE task = $1`, [id]);
  for (const table of [torn, deleted_subtask, inbox, task_pool])
    await statements.query(`DELETE FROM ${table} WHERE task = $1`, [id]);
  await statements.query(`UPDATE ${task_summary} SET root_workspace = NULL WHERE root_id = $1`, [id]);
  await statements.query(`DELETE FROM ${task} WHERE id = $1`, [id]);
  return true;
}
