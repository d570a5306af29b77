import type { ConnectionOptions } from "node:tls";
import type { Client as ClientType, Pool, PoolClient, PoolConfig } from "pg";
import { z } from "zod";
import { PostgresError, toConnectError, toStatementError } from "./error.ts";

/** Connection settings. The URL takes precedence. */
export interface PostgresConnection {
  readonly host?: string;
  readonly port?: number;
  readonly user?: string;
  /** A function is called for each connection: passwords can expire. */
  readonly password?: string | (() => string | Promise<string>);
  readonly database?: string;
  readonly ssl?: boolean | ConnectionOptions;
  /** Maximum number of connections. Default 10. */
  readonly max?: number;
  /** Number of statements or transactions after which a connection is replaced. Default: no limit. */
  readonly maxUses?: number;
  /** Time to open a connection, in ms. Default 10,000. */
  readonly connectTimeoutMs?: number;
  /** Time to wait for the result of a statement, in ms. Default 30,000. */
  readonly statementTimeoutMs?: number;
}

/** Where to find a database. */
export interface DatabaseOptions {
  /** `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. Missing parts come from `connection`, then from PGHOST, PGUSER and so on. */
  readonly url?: string;
  readonly connection?: PostgresConnection;
}

/** The result of a statement. */
export interface Result {
  readonly rows: readonly unknown[];
  readonly rowCount: number | null;
}

/** Executes statements: a pool, or one connection in a transaction. */
export interface Statements {
  query(text: string, values?: unknown[]): Promise<Result>;
}

/** A connection that can listen. Its loss is the event `end`. */
export interface Connection extends Statements {
  on(event: "notification", listener: (message: { readonly payload?: string | undefined }) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  end(): Promise<void>;
}

/** A count or a number of bytes. The driver returns a bigint as a string. */
export const count = z.coerce.number().int().nonnegative();

/** Parse the only row of a result; undefined if there is none. */
export const rowOf = <T extends z.ZodType>(schema: T, { rows }: Result): z.output<T> | undefined =>
  rows.length === 0 ? undefined : schema.parse(rows[0]);

const CONNECT_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 30_000;

/**
 * A pool of connections. Uses statements without names and settings of sessions, and locks of transactions only, so that a
 * connection pooler may give each transaction another session.
 */
export class Database implements Statements {
  /** The server and the database, without user and password. */
  readonly label: string;
  readonly #pool: Pool;
  readonly #newClient: () => ClientType;

  private constructor(pool: Pool, newClient: () => ClientType, label: string) {
    this.#pool = pool;
    this.#newClient = newClient;
    this.label = label;
    // An idle connection broke: the pool has removed it, and the next statement opens another.
    pool.on("error", () => {});
  }

  /** Open a pool, with one connection. @throws PostgresError `DATABASE_UNREACHABLE`, `DATABASE_OPTION`, `DATABASE_PACKAGE` */
  static async open(options: DatabaseOptions): Promise<Database> {
    const { default: pg } = await loadPackage();
    const config = configOf(options);
    const label = labelOf(config, pg.Client);
    const database = new Database(new pg.Pool(config), () => new pg.Client(config), label);
    try {
      (await database.#pool.connect()).release();
    } catch (error) {
      await database.close();
      throw toConnectError(label, error);
    }
    return database;
  }

  /** Open a connection beside the pool, which the caller ends. */
  async connect(): Promise<Connection> {
    const client = this.#newClient();
    client.on("error", () => {});
    await client.connect();
    return client;
  }

  query(text: string, values?: unknown[]): Promise<Result> {
    return this.#pool.query(text, values);
  }

  /** Execute a statement. @throws PostgresError `DATABASE_FAILED` and the codes of rights */
  async statement(text: string, values: unknown[]): Promise<Result> {
    try {
      return await this.query(text, values);
    } catch (error) {
      throw toStatementError(this.label, error);
    }
  }

  /** Execute statements in one transaction. If `work` fails, nothing was changed, unless only the commit's answer was lost. */
  async transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    let failed = true;
    // It may break between two statements: the next one reports it.
    const ignore = (): void => {};
    client.on("error", ignore);
    try {
      await client.query("BEGIN ISOLATION LEVEL READ COMMITTED");
      const result = await work(client);
      await client.query("COMMIT");
      failed = false;
      return result;
    } finally {
      end(client, ignore, failed);
    }
  }

  /** Close all connections. */
  async close(): Promise<void> {
    if (!this.#pool.ending) await this.#pool.end();
  }
}

/** A connection after a failure is in an unknown state: it is closed. */
function end(client: PoolClient, listener: () => void, failed: boolean): void {
  client.off("error", listener);
  client.release(failed);
}

/** Whether a text is the URL of a database, by its scheme. */
export const isDatabaseUrl = (text: string): boolean => /^postgres(?:ql)?:\/\//.test(text);

function configOf({ url, connection = {} }: DatabaseOptions): PoolConfig {
  if (url !== undefined && !isDatabaseUrl(url))
    throw new PostgresError(
      "DATABASE_UNREACHABLE",
      `Expected a URL as postgres://USER:PASSWORD@HOST:PORT/DATABASE, got one that begins with ${JSON.stringify(/^\w{0,20}/.exec(url)?.[0] ?? "")}. Correct the URL.`,
    );
  const {
    connectTimeoutMs = CONNECT_TIMEOUT_MS,
    statementTimeoutMs = STATEMENT_TIMEOUT_MS,
    ...rest
  } = connection;
  return {
    ...rest,
    ...(url !== undefined && { connectionString: url }),
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: statementTimeoutMs,
    keepAlive: true,
    application_name: "signalbox",
  };
}

/** The server and the database that a configuration means. The parser's errors may contain the URL: they are not passed on. */
function labelOf(config: PoolConfig, Client: typeof ClientType): string {
  let parsed: Pick<ClientType, "host" | "port" | "database">;
  try {
    parsed = new Client(config);
  } catch {
    throw new PostgresError(
      "DATABASE_UNREACHABLE",
      "Expected a URL as postgres://USER:PASSWORD@HOST:PORT/DATABASE, got one that can't be parsed. Correct the URL; encode special characters of the password.",
    );
  }
  const { host, port, database = "" } = parsed;
  return host.startsWith("/")
    ? `postgres:///${database}?host=${host}&port=${port}`
    : `postgres://${host}:${port}/${database}`;
}

// A bundler takes an import that is caught for an optional one: without the package, the bundle is made nevertheless.
const importPackage = () =>
  import("pg").catch((error: unknown) => {
    throw error;
  });

/** Load the optional package. @throws PostgresError `DATABASE_PACKAGE` */
async function loadPackage() {
  try {
    return await importPackage();
  } catch (error) {
    throw new PostgresError(
      "DATABASE_PACKAGE",
      "Expected the package pg, which could not be loaded. Install it beside signalbox: npm install pg",
      { cause: error },
    );
  }
}
