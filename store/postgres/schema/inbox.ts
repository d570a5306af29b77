import type { Tables } from "../tables.ts";

/**
 * The table of the inboxes. A command that was removed leaves its row, without the command: the newest one of a task keeps
 * positions from being used again, and each keeps its id for a day, so that a sender can repeat a `put`. The type `json` keeps
 * every text; `jsonb` refuses some.
 */
export const inboxMigration = ({ inbox, put_command }: Tables): string => `
    CREATE TABLE ${inbox} (
      task text COLLATE "C" NOT NULL,
      position bigint NOT NULL,
      id text COLLATE "C" NOT NULL,
      command json,
      -- Why it was refused, where no journal has the code: the task was not created.
      refusal json,
      added_at timestamptz NOT NULL,
      PRIMARY KEY (task, position),
      UNIQUE (task, id)
    );
    CREATE INDEX ON ${inbox} (task, position) WHERE command IS NOT NULL;
    -- Puts of one task wait for each other: a reader never sees a position before those below it. 0: the inbox is full.
    CREATE FUNCTION ${put_command} (
      the_task text, the_id text, the_command json, the_limit bigint, the_channel text
    ) RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE
      place bigint;
      oldest bigint;
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtextextended('${inbox} ' || the_task, 0));
      SELECT i.position INTO place FROM ${inbox} i WHERE i.task = the_task AND i.id = the_id;
      IF NOT FOUND THEN
        SELECT coalesce(max(i.position), 0) + 1 INTO place FROM ${inbox} i WHERE i.task = the_task;
        SELECT min(i.position) INTO oldest FROM ${inbox} i WHERE i.task = the_task AND i.command IS NOT NULL;
        IF place - oldest >= the_limit THEN RETURN 0; END IF;
        INSERT INTO ${inbox} (task, position, id, command, added_at)
          VALUES (the_task, place, the_id, the_command, clock_timestamp());
      END IF;
      PERFORM pg_notify(the_channel, 'added ' || the_task);
      RETURN place;
    END $$;`;
