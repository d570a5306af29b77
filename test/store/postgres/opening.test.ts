import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Database } from "../../../store/postgres/database.ts";
import { migrate, SCHEMA_VERSION } from "../../../store/postgres/migrations.ts";
import { openPostgres } from "../../../store/postgres/store.ts";
import { hasPostgres } from "../../support/postgres.ts";
import { contentOf, header, lines } from "../../testing/conformance.ts";
import { PostgresRig } from "./rig.ts";

const PASSWORD = "wrong-0123456789";

describe.skipIf(!hasPostgres)("opening a database", () => {
  let rig: PostgresRig;
  beforeAll(async () => {
    rig = await PostgresRig.start();
    await rig.admin.query("CREATE USER guarded PASSWORD 'right'");
    await rig.admin.query("CREATE USER limited");
  });
  afterAll(() => rig.remove());

  const open = (url: string, schema?: string) =>
    openPostgres({
      url,
      connection: { connectTimeoutMs: 5_000 },
      ...(schema !== undefined && { schema }),
    });
  const problem = async (url: string, schema?: string): Promise<{ code: string; message: string }> => {
    const error: unknown = await open(url, schema).then(
      (store) => store.close(),
      (reason) => reason,
    );
    if (!(error instanceof Error && "code" in error)) throw new Error("Expected an error.");
    // No property has the password either.
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(PASSWORD);
    return { code: String(error.code), message: error.message };
  };
  const migrated = async (schema: string) => {
    const database = await Database.open({ url: rig.cluster.url() });
    const versions = await migrate(database, schema);
    await database.close();
    return versions;
  };

  test.each([
    ["a text that is no URL", `mysql://root:${PASSWORD}@db/app`, /begins with "mysql"/],
    ["a URL that can't be parsed", `postgres://a:${PASSWORD}@[db/app`, /can't be parsed/],
    ["a host without a server", `postgres://a:${PASSWORD}@127.0.0.1:1/app`, /no server listens there/],
    ["an unknown host", `postgres://a:${PASSWORD}@no-such-host.invalid/app`, /host name/],
    [
      "a missing socket",
      `postgres:///app?host=/no/such/folder&user=a&password=${PASSWORD}`,
      /no such socket/,
    ],
  ])("says what is wrong with %s, without the password", async (_, url, reason) => {
    const { code, message } = await problem(url);
    expect(code).toBe("DATABASE_UNREACHABLE");
    expect(message).toMatch(reason);
    expect(message).not.toContain(PASSWORD);
  });

  test("says that the password is wrong, and which database is missing", async () => {
    const wrong = await problem(rig.cluster.url("postgres", "guarded", PASSWORD));
    expect(wrong).toMatchObject({ code: "DATABASE_UNREACHABLE" });
    expect(wrong.message).toContain("the password is wrong");
    const none = await problem(rig.cluster.url("postgres", "guarded"));
    expect(none).toMatchObject({ code: "DATABASE_UNREACHABLE" });
    expect(none.message).toContain("wants a password");
    const missing = await problem(rig.cluster.url("nothing"));
    expect(missing.message).toContain("no such database");
  });

  test("names the rights that a user lacks", async () => {
    const url = rig.cluster.url("postgres", "limited");
    const none = await problem(url);
    expect(none).toMatchObject({ code: "DATABASE_DENIED" });
    expect(none.message).toContain("USAGE on schema signalbox");
    await rig.admin.query("GRANT USAGE ON SCHEMA signalbox TO limited");
    await rig.admin.query("GRANT SELECT ON ALL TABLES IN SCHEMA signalbox TO limited");
    const some = await problem(url);
    expect(some).toMatchObject({ code: "DATABASE_DENIED" });
    expect(some.message).toContain("INSERT on table record");
    await rig.admin.query("GRANT ALL ON ALL TABLES IN SCHEMA signalbox TO limited");
    await rig.admin.query("REVOKE DELETE ON signalbox.inbox FROM limited");
    expect((await problem(url)).message).toContain("DELETE on table inbox");
    await rig.admin.query("GRANT DELETE ON signalbox.inbox TO limited");
    await rig.admin.query("REVOKE EXECUTE ON FUNCTION signalbox.put_command FROM PUBLIC");
    expect((await problem(url)).message).toContain("EXECUTE on function put_command");
    await rig.admin.query("GRANT EXECUTE ON FUNCTION signalbox.put_command TO PUBLIC");
    await (await open(url)).close();
  });

  test("says that a user may not create the schema", async () => {
    const database = await Database.open({ url: rig.cluster.url("postgres", "limited") });
    await expect(migrate(database, "another")).rejects.toMatchObject({ code: "DATABASE_DENIED" });
    await database.close();
  });

  test("says that a schema has no tables, older ones, or newer ones", async () => {
    expect(await problem(rig.cluster.url(), "versions")).toMatchObject({ code: "DATABASE_EMPTY" });
    expect(await migrated("versions")).toEqual({ from: 0, to: SCHEMA_VERSION });
    expect(await migrated("versions")).toEqual({ from: SCHEMA_VERSION, to: SCHEMA_VERSION });
    await rig.admin.query(`INSERT INTO versions.migration VALUES (${SCHEMA_VERSION + 1}, now())`);
    const newer = await problem(rig.cluster.url(), "versions");
    expect(newer).toMatchObject({ code: "DATABASE_NEWER" });
    expect(newer.message).toContain(`found version ${SCHEMA_VERSION + 1}`);
    await expect(migrated("versions")).rejects.toMatchObject({ code: "DATABASE_NEWER" });
    await rig.admin.query("DELETE FROM versions.migration");
    const older = await problem(rig.cluster.url(), "versions");
    expect(older).toMatchObject({ code: "DATABASE_OLDER" });
    expect(older.message).toContain("signalbox db migrate");
  });

  test("applies each version once, also for concurrent callers", async () => {
    const all = await Promise.all([1, 2, 3, 4].map(() => migrated("together")));
    expect(all.filter(({ from }) => from === 0)).toHaveLength(1);
    const { rows } = await rig.admin.query("SELECT version FROM together.migration ORDER BY version");
    expect(rows.map(({ version }) => version)).toEqual(
      Array.from({ length: SCHEMA_VERSION }, (_, n) => n + 1),
    );
  });

  test("undoes a version whose statements fail", async () => {
    const database = await Database.open({ url: rig.cluster.url() });
    const broken = [() => "CREATE SCHEMA half; SELECT 1 / 0"];
    await expect(migrate(database, "broken", broken)).rejects.toMatchObject({ code: "DATABASE_FAILED" });
    await database.close();
    const { rows } = await rig.admin.query("SELECT FROM pg_namespace WHERE nspname IN ('half', 'broken')");
    expect(rows).toHaveLength(0);
  });

  test.each(["", "Upper", "1st", "pg_own", 'a"b', "a b", "x".repeat(64)])(
    "rejects the schema name %j",
    async (schema) => {
      expect(await problem(rig.cluster.url(), schema)).toMatchObject({ code: "DATABASE_OPTION" });
    },
  );

  test("rejects a server that confirms commits before they are durable", async () => {
    await rig.admin.query("CREATE USER hasty SUPERUSER");
    await rig.admin.query("ALTER USER hasty SET synchronous_commit = off");
    const { code, message } = await problem(rig.cluster.url("postgres", "hasty"));
    expect(code).toBe("DATABASE_NOT_DURABLE");
    expect(message).toContain("synchronous_commit off");
  });

  test("rejects a read-only database, and a replica", async () => {
    await rig.admin.query("CREATE USER reader SUPERUSER");
    await rig.admin.query("ALTER USER reader SET default_transaction_read_only = on");
    const url = rig.cluster.url("postgres", "reader");
    expect(await problem(url)).toMatchObject({ code: "DATABASE_READ_ONLY" });
    await rig.cluster.stop();
    await rig.cluster.becomeReplica();
    await rig.cluster.resume();
    const replica = await problem(rig.cluster.url());
    expect(replica).toMatchObject({ code: "DATABASE_READ_ONLY" });
    expect(replica.message).toContain("Connect to the primary");
  });
});

describe.skipIf(!hasPostgres)("a journal in PostgreSQL", () => {
  test("says that a right was taken away while it was open", async () => {
    const rig = await PostgresRig.start();
    try {
      await rig.admin.query("CREATE USER limited");
      await rig.admin.query("GRANT USAGE ON SCHEMA signalbox TO limited");
      await rig.admin.query("GRANT ALL ON ALL TABLES IN SCHEMA signalbox TO limited");
      const store = await rig.store(undefined, rig.cluster.url("postgres", "limited"));
      const driver = store.journal(rig.newTask());
      await driver.own();
      await rig.admin.query("REVOKE INSERT ON signalbox.record FROM limited");
      await expect(driver.append(lines(header))).rejects.toMatchObject({ code: "JOURNAL_DENIED" });
      await rig.admin.query("GRANT INSERT ON signalbox.record TO limited");
      await driver.append(lines(header));
      expect((await contentOf(driver)).length).toBeGreaterThan(0);
      expect(() => store.journal("../up")).toThrow("Expected a task id");
    } finally {
      await rig.remove();
    }
  });
});
