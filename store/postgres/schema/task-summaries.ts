import type { Tables } from "../tables.ts";

/**
 * The index of the task list. A row of it is derived from a journal. A change of the way it is derived comes with a version
 * that sets `summarized_epoch` of each task to NULL.
 *
 * A task whose `summarized_epoch` is its epoch had no owner when it was summarized, and none since: its row is current. All
 * others are in the index `task_summary_due`. `sort_key` is the negative `updatedAt`, so that keys in ascending order are
 * a page; with the words, the newest tasks are searched in the index alone. `changed_in`: the transaction that wrote the row, for those who watch.
 */
export const taskSummaries = ({ task, record, task_summary }: Tables): string => `
  ALTER TABLE ${task} ADD COLUMN name text, ADD COLUMN summarized_epoch bigint;
  ALTER TABLE ${record} ADD COLUMN IF NOT EXISTS written_at timestamptz NOT NULL DEFAULT clock_timestamp();
  CREATE INDEX task_summary_due ON ${task} (id) WHERE owner IS NOT NULL OR summarized_epoch IS DISTINCT FROM epoch;
  CREATE TABLE ${task_summary} (
    id text COLLATE "C" PRIMARY KEY REFERENCES ${task} ON DELETE CASCADE,
    sort_key double precision NOT NULL,
    workspace text COLLATE "C",
    parent_id text COLLATE "C",
    root_id text COLLATE "C",
    root_workspace text COLLATE "C",
    words tsvector NOT NULL,
    summary text NOT NULL,
    bytes bigint NOT NULL,
    generation uuid NOT NULL,
    checked_bytes bigint NOT NULL,
    checked_lines bigint NOT NULL,
    epoch bigint NOT NULL,
    owner uuid,
    name text,
    changed_in bigint NOT NULL
  );
  CREATE INDEX task_summary_newest ON ${task_summary} (sort_key, id) INCLUDE (words);
  CREATE INDEX task_summary_workspace ON ${task_summary} (workspace, sort_key, id) INCLUDE (words);
  CREATE INDEX task_summary_root_workspace ON ${task_summary} (root_workspace, sort_key, id) WHERE root_workspace IS NOT NULL;
  CREATE INDEX task_summary_parent ON ${task_summary} (parent_id, sort_key, id) WHERE parent_id IS NOT NULL;
  CREATE INDEX task_summary_root ON ${task_summary} (root_id) WHERE root_id IS NOT NULL;
  CREATE INDEX task_summary_changed ON ${task_summary} (changed_in);
  CREATE INDEX task_summary_words ON ${task_summary} USING gin (words) WITH (fastupdate = off);`;

/** Derive all summaries again, from whole journals: since this version they have the model of the last request. */
export const summariesWithModels = ({ task, task_summary }: Tables): string => `
  UPDATE ${task_summary} SET checked_bytes = 0, checked_lines = 0;
  UPDATE ${task} SET summarized_epoch = NULL;`;
