import { z } from "zod";
import type { TaskPools } from "../../ports/pools.ts";
import { DEFAULT_POOL } from "../../wire/pool.ts";
import type { Database, Statements } from "./database.ts";
import type { Tables } from "./tables.ts";

const PoolRow = z.object({ task: z.string(), pool: z.string() });

/** Pools in rows. Each method rejects with PostgresError `DATABASE_FAILED`. */
export class PostgresPools implements TaskPools {
  readonly #database: Database;
  readonly #tables: Tables;

  constructor(database: Database, tables: Tables) {
    this.#database = database;
    this.#tables = tables;
  }

  async poolOf(taskId: string): Promise<string> {
    return (await this.poolsOf([taskId])).get(taskId) ?? DEFAULT_POOL;
  }

  async poolsOf(taskIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { rows } = await this.#database.statement(
      `SELECT task, pool FROM ${this.#tables.task_pool} WHERE task = ANY ($1::text[])`,
      [[...taskIds]],
    );
    return new Map(rows.map((row) => PoolRow.parse(row)).map(({ task, pool }) => [task, pool]));
  }
}

/** Put a new task into the pool of another one, which has no parent. */
export async function copyPool(
  statements: Statements,
  { task_pool }: Tables,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  await statements.query(
    `WITH earlier AS (DELETE FROM ${task_pool} WHERE task = $2 AND NOT EXISTS (SELECT FROM ${task_pool} WHERE task = $1))
      INSERT INTO ${task_pool} (task, pool) SELECT $2, pool FROM ${task_pool} WHERE task = $1
        ON CONFLICT (task) DO UPDATE SET pool = excluded.pool`,
    [from, to],
  );
}
