import { Database } from "../../../store/postgres/database.ts";
import { migrate, SCHEMA_VERSION } from "../../../store/postgres/migrations.ts";
import type { Tables } from "../../../store/postgres/tables.ts";

// A migration to a further version. It empties the journals, then fails: nothing of it may be seen.
const [url = "", seconds = "1"] = process.argv.slice(2);
const released = Array.from({ length: SCHEMA_VERSION }, () => () => "SELECT 1");
const failing = ({ record, inbox }: Tables): string => `
  ALTER TABLE ${record} ADD COLUMN half_done integer;
  UPDATE ${record} SET content = '';
  DELETE FROM ${inbox};
  SELECT pg_sleep(${Number(seconds)});
  SELECT 1 / 0;`;
const database = await Database.open({ url });
console.log("migrating");
await migrate(database, "signalbox", [...released, failing]);
