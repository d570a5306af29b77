import type { Tables } from "../tables.ts";

/** The identity of the schema, in one row. `wakes`: the id of the wakes of its tasks, once they were opened. */
export const clusterMigration = ({ cluster }: Tables): string => `
    CREATE TABLE ${cluster} (
      only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
      id uuid NOT NULL DEFAULT gen_random_uuid(),
      wakes uuid
    );
    INSERT INTO ${cluster} DEFAULT VALUES;`;
