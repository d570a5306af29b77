import { z } from "zod";
import type { StoreIdentity } from "../../ports/store-identity.ts";
import { type Database, rowOf } from "./database.ts";
import { PostgresError } from "./error.ts";
import type { Tables } from "./tables.ts";

const ClusterRow = z.object({ id: z.string(), wakes: z.string().nullable() });

/** The identity of a schema. Each method rejects with PostgresError `DATABASE_FAILED`. */
export class PostgresIdentity implements StoreIdentity {
  readonly #database: Database;
  readonly #tables: Tables;

  constructor(database: Database, tables: Tables) {
    this.#database = database;
    this.#tables = tables;
  }

  async read(): ReturnType<StoreIdentity["read"]> {
    const { cluster } = this.#tables;
    const row = rowOf(ClusterRow, await this.#database.statement(`SELECT id, wakes FROM ${cluster}`, []));
    if (row === undefined)
      throw new PostgresError(
        "DATABASE_FAILED",
        `Database ${this.#database.label}: expected one row in ${cluster}, found none. Restore it from a backup.`,
      );
    return { id: row.id, ...(row.wakes !== null && { wakes: row.wakes }) };
  }

  async claimWakes(id: string): Promise<string> {
    await this.#database.statement(`UPDATE ${this.#tables.cluster} SET wakes = $1 WHERE wakes IS NULL`, [id]);
    return (await this.read()).wakes ?? id;
  }
}
