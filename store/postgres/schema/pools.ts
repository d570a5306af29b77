import { DEFAULT_POOL } from "../../../wire/pool.ts";
import type { Tables } from "../tables.ts";

/**
 * The pools of tasks. A task without a row is in the pool `default`. The start of a task writes its row: the task itself does not
 * exist before a worker takes the start.
 */
export const poolsMigration = ({ task_pool, inbox, record, put_command, put_start }: Tables): string => `
    CREATE TABLE ${task_pool} (task text COLLATE "C" PRIMARY KEY, pool text COLLATE "C" NOT NULL);
    CREATE FUNCTION ${put_start} (
      the_task text, the_id text, the_command json, the_limit bigint, the_channel text, the_pool text
    ) RETURNS bigint LANGUAGE plpgsql AS $$
    BEGIN
      -- The lock of the function below.
      PERFORM pg_advisory_xact_lock(hashtextextended('${inbox} ' || the_task, 0));
      -- The first start decides. One that was refused leaves the choice to the next.
      IF NOT EXISTS (SELECT FROM ${inbox} i WHERE i.task = the_task AND (i.command IS NOT NULL OR i.id = the_id))
        AND NOT EXISTS (SELECT FROM ${record} r WHERE r.task = the_task AND octet_length(r.content) > 0)
      THEN
        DELETE FROM ${task_pool} p WHERE p.task = the_task;
        IF the_pool <> '${DEFAULT_POOL}' THEN INSERT INTO ${task_pool} (task, pool) VALUES (the_task, the_pool); END IF;
      END IF;
      RETURN ${put_command}(the_task, the_id, the_command, the_limit, the_channel);
    END $$;`;
