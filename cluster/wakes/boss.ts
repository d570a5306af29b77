import type { PgBoss } from "pg-boss";
import type { PostgresConnection } from "signalbox/postgres";
import { ClusterError } from "../error.ts";
import { assertNode } from "../node-version.ts";

/** Where to find the database of wakes. */
export interface BossOptions {
  /** `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. Missing parts come from `connection`. */
  readonly url?: string;
  readonly connection?: Omit<PostgresConnection, "maxUses" | "statementTimeoutMs">;
}

/** Connections besides the one that listens. */
const CONNECTIONS = 4;
/** Interval at which rows are counted and those that are no longer needed deleted, in seconds. */
const SUPERVISE_S = 60;

/** Start pg-boss. @throws ClusterError `NODE_TOO_OLD`, `CLUSTER_OPTION`, `WAKES_UNAVAILABLE` */
export async function openBoss(
  { url, connection = {} }: BossOptions,
  schema: string,
  onError: (error: unknown) => void,
): Promise<{ readonly boss: PgBoss; readonly channel: string }> {
  assertNode();
  if (!/^[a-z_][a-z0-9_]{0,49}$/.test(schema))
    throw new ClusterError(
      "CLUSTER_OPTION",
      `Expected a schema of wakes of at most 50 lower-case letters, digits and _, got ${JSON.stringify(schema)}. Choose another name.`,
    );
  const { PgBoss } = await import("pg-boss");
  const { connectTimeoutMs, max = CONNECTIONS, ...rest } = connection;
  const boss = new PgBoss({
    ...rest,
    max,
    ...(url !== undefined && { connectionString: url }),
    ...(connectTimeoutMs !== undefined && { connectionTimeoutMillis: connectTimeoutMs }),
    application_name: "signalbox",
    schema,
    schedule: false,
    superviseIntervalSeconds: SUPERVISE_S,
    // Each worker asks for the expiry of dead workers every second; one of them does it.
    monitorIntervalSeconds: 1,
  });
  boss.on("error", onError);
  try {
    await boss.start();
  } catch (error) {
    await boss.stop({ graceful: false });
    const reason = error instanceof Error ? error.message : String(error);
    throw new ClusterError(
      "WAKES_UNAVAILABLE",
      `The wakes can't be opened in schema ${schema}: ${reason}. Check the database and the right to create the schema.`,
      { cause: error },
    );
  }
  return { boss, channel: `${schema}_wake` };
}
