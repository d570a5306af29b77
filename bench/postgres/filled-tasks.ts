import type { Pool } from "pg";
import { encodeLine } from "../../store/journal/line.ts";
import type { TaskHistory } from "../../store/task-history/task-history.ts";
import { JOURNAL_VERSION } from "../../wire/journal/record.ts";

/** Tasks at rest in a schema that is migrated. */
interface FilledTasks {
  readonly schema: string;
  readonly tasks: number;
}

/** Words of titles by the share of the tasks that have them: one in so many. */
const WORDS = { common: 2, frequent: 50, rare: 5_000 } as const;

/** Fill the tables with one task that is summarized, and with copies of it that differ in what a list looks for. */
export async function fillTasksAtRest(
  admin: Pool,
  history: TaskHistory,
  { schema, tasks }: FilledTasks,
): Promise<void> {
  const log = [
    { type: "message.appended", message: { ts: 10, type: "say", say: "text", text: "A task" } },
  ] as const;
  const lines = [
    encodeLine({ seq: 0, kind: "header", version: JOURNAL_VERSION, taskId: "task-0", createdAt: 1 }),
    encodeLine({ seq: 1, kind: "commit", at: 10, before: "no_task", after: "resumable", log }),
  ].map((line) => Buffer.from(`${line}\n`));
  await admin.query(`INSERT INTO ${schema}.task (id) VALUES ('task-0')`);
  let from = 0;
  for (const [n, line] of lines.entries()) {
    await admin.query(
      `INSERT INTO ${schema}.record (task, n, from_byte, content) VALUES ('task-0', $1, $2, $3)`,
      [n, from, line],
    );
    from += line.length;
  }
  await history.list();
  await admin.query(`
    INSERT INTO ${schema}.task (id, summarized_epoch) SELECT 'task-' || g, 0 FROM generate_series(1, ${tasks - 1}) g;
    INSERT INTO ${schema}.record (task, n, from_byte, content) SELECT 'task-' || g, n, from_byte, content
      FROM generate_series(1, ${tasks - 1}) g, (SELECT * FROM ${schema}.record WHERE task = 'task-0') r;
    INSERT INTO ${schema}.task_summary (id, sort_key, workspace, words, summary, bytes, generation, checked_bytes, checked_lines,
        epoch, changed_in)
      SELECT 'task-' || g, -1e12 - floor(random() * 1e10), '/src/project-' || g % 100,
          to_tsvector('simple', format('task %s src project %s code %s', g, g % 100, given.words)),
          replace(replace(summary, '"task-0"', '"task-' || g || '"'), 'A task', 'Make a change of task ' || g || ' ' || given.words),
          bytes, generation, checked_bytes, checked_lines, epoch, changed_in
        FROM generate_series(1, ${tasks - 1}) g
          CROSS JOIN LATERAL (SELECT concat_ws(' ', ${Object.entries(WORDS)
            .map(([word, share]) => `CASE WHEN g % ${share} = 1 THEN '${word}' END`)
            .join(", ")}) AS words) given,
          (SELECT * FROM ${schema}.task_summary WHERE id = 'task-0') s;`);
  await admin.query("VACUUM ANALYZE");
}

/** The bytes on disk of a task at rest, with all indexes, and of those the bytes of the index of the list. */
export async function bytesPerTask(
  admin: Pool,
  { schema, tasks }: FilledTasks,
): Promise<{ readonly all: number; readonly index: number }> {
  const { rows } = await admin.query<{ all: number; index: number }>(
    `SELECT (SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
      WHERE s.nspname = '${schema}' AND c.relkind = 'r')::float8 AS all, pg_total_relation_size('${schema}.task_summary')::float8 AS index`,
  );
  const [{ all, index } = { all: 0, index: 0 }] = rows;
  return { all: all / tasks, index: index / tasks };
}
