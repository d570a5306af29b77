import type { Tables } from "../tables.ts";

/**
 * The tables of objects. An object without `stored_at` is being written, or was when its writer ended: no reader sees it, and
 * a put in a later epoch removes it.
 */
export const objectsMigration = ({ task, object, object_chunk }: Tables): string => `
    CREATE TABLE ${object} (
      id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
      task text COLLATE "C" NOT NULL REFERENCES ${task} ON DELETE CASCADE,
      name text COLLATE "C" NOT NULL,
      epoch bigint NOT NULL,
      bytes bigint NOT NULL DEFAULT 0,
      stored_at timestamptz
    );
    CREATE INDEX object_task ON ${object} (task, name);
    CREATE UNIQUE INDEX object_stored ON ${object} (task, name) WHERE stored_at IS NOT NULL;
    CREATE TABLE ${object_chunk} (
      object uuid NOT NULL REFERENCES ${object} ON DELETE CASCADE,
      from_byte bigint NOT NULL,
      content bytea NOT NULL,
      PRIMARY KEY (object, from_byte)
    );`;
