import type { PgBoss } from "pg-boss";
import { z } from "zod";
import type { StoreIdentity } from "../../ports/store-identity.ts";
import { ClusterError } from "../error.ts";

/** A store as its wakes see it. */
interface PairedStore {
  readonly schema: string;
  readonly identity: StoreIdentity;
}

const MarkRow = z.object({ id: z.string(), store: z.string().nullable() });
const FoundRow = z.object({ found: z.boolean() });

/**
 * Check that wakes and a store belong together, and record each in the other if nothing is recorded yet. Resolves with the id of
 * the store. If they don't belong together, nothing is changed.
 *
 * @throws ClusterError `CLUSTER_MISMATCH`
 */
export async function pairWithStore(boss: PgBoss, schema: string, store: PairedStore): Promise<string> {
  const table = `"${schema}".signalbox_store`;
  await createMark(boss, table);
  const wakes = await readMark(boss, table);
  const { id, wakes: recorded = wakes.id } = await store.identity.read();
  if (wakes.store !== null && wakes.store !== id) throw ofOtherStore(schema, store.schema);
  if (recorded !== wakes.id) throw otherWakes(schema, store.schema);
  if (wakes.store === null)
    await boss.getDb().executeSql(`UPDATE ${table} SET store = $1 WHERE store IS NULL`, [id]);
  // Another process may have recorded its own in between.
  if ((await readMark(boss, table)).store !== id) throw ofOtherStore(schema, store.schema);
  if ((await store.identity.claimWakes(wakes.id)) !== wakes.id) throw otherWakes(schema, store.schema);
  return id;
}

/** Create the table with the id of the wakes in one transaction, unless it exists. */
async function createMark(boss: PgBoss, table: string): Promise<void> {
  const { rows } = await boss.getDb().executeSql("SELECT to_regclass($1) IS NOT NULL AS found", [table]);
  if (FoundRow.parse(rows[0]).found) return;
  await boss.getDb().executeSql(`
    SELECT pg_advisory_xact_lock(hashtextextended('${table}', 0));
    CREATE TABLE IF NOT EXISTS ${table} (
      only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
      id uuid NOT NULL DEFAULT gen_random_uuid(),
      store uuid
    );
    INSERT INTO ${table} DEFAULT VALUES ON CONFLICT DO NOTHING;`);
}

async function readMark(boss: PgBoss, table: string): Promise<z.output<typeof MarkRow>> {
  const { rows } = await boss.getDb().executeSql(`SELECT id, store FROM ${table}`);
  return MarkRow.parse(rows[0]);
}

const ofOtherStore = (wakes: string, store: string): ClusterError =>
  new ClusterError(
    "CLUSTER_MISMATCH",
    `Expected the wakes in schema ${wakes} to belong to the tasks in schema ${store}, but they belong to another store, whose workers would take the wakes. Leave out the schema of the wakes, or correct the URL of the database.`,
  );

const otherWakes = (wakes: string, store: string): ClusterError =>
  new ClusterError(
    "CLUSTER_MISMATCH",
    `Expected the wakes of the tasks in schema ${store}, found others in schema ${wakes}: workers that use both would miss wakes. Use the schema and the database of wakes that the other workers and servers use. If those wakes no longer exist, run: UPDATE ${store}.cluster SET wakes = NULL`,
  );
