import { Pool } from "pg";
import { encodeLine } from "../../store/journal/line.ts";
import { Database } from "../../store/postgres/database.ts";
import { migrate } from "../../store/postgres/migrations.ts";
import { openPostgres } from "../../store/postgres/store.ts";
import type { TaskHistory } from "../../store/task-history/task-history.ts";
import { JOURNAL_VERSION } from "../../wire/journal/record.ts";
import { type BenchResult, formatNumber, limited, median, quantile } from "../harness/index.ts";

/** Milliseconds of a page of a list or a search. */
const LIMIT_MS = 100;
const PAGE = 50;
const CALLS = 200;

/** Words of titles by the share of the tasks that have them: one in so many. */
const WORDS = { common: 2, frequent: 50, rare: 5_000 } as const;

/** Time of a page of the list of many tasks at rest, and of a search in it. */
export async function tasksAtRest(url: string, tasks: number): Promise<readonly BenchResult[]> {
  const database = await Database.open({ url });
  await migrate(database, "at_rest");
  await database.close();
  const admin = new Pool({ connectionString: url, max: 1 });
  const store = await openPostgres({ url, schema: "at_rest" });
  try {
    const { history } = store;
    await fill(admin, history, tasks);
    const first = await timeOf(() => history.list({ limit: PAGE }));
    const deep = await history.list({ limit: 2_000 });
    const after = deep.at(-1);
    const workspace = "/src/project-7";
    const lists = await measure([
      () => history.list({ limit: PAGE }),
      () => history.list({ limit: PAGE, ...(after !== undefined && { after }) }),
      () => history.list({ limit: PAGE, workspace }),
    ]);
    const searches = await measure(
      ["common", "frequent", "rare", "rare task", "no-such-word"].flatMap((search) => [
        () => history.list({ limit: PAGE, search }),
        () => history.list({ limit: PAGE, search, workspace }),
      ]),
    );
    const size = await admin.query(
      `SELECT (SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
        WHERE s.nspname = 'at_rest' AND c.relkind = 'r')::float8 AS all, pg_total_relation_size('at_rest.task_summary')::float8 AS index`,
    );
    const { all = 0, index = 0 } = size.rows[0] ?? {};
    const bytes = `${formatNumber(Number(all) / tasks)} bytes a task on disk, ${formatNumber(Number(index) / tasks)} of them of the index`;
    return [
      limited(
        `page of the list of ${tasks} tasks in PostgreSQL, p99`,
        quantile(lists, 0.99),
        "ms",
        LIMIT_MS,
        `p50 ${formatNumber(median(lists))} ms; newest, later and of a workspace, ${PAGE} tasks each; the first list ${formatNumber(first)} ms; ${bytes}`,
      ),
      limited(
        `search in the list of ${tasks} tasks in PostgreSQL, p99`,
        quantile(searches, 0.99),
        "ms",
        LIMIT_MS,
        `p50 ${formatNumber(median(searches))} ms; words of 1 in 2, 50 and 5,000 tasks, two words and none, in all workspaces and in one`,
      ),
    ];
  } finally {
    await store.close();
    await admin.end();
  }
}

/** Fill the tables with one task that is summarized, and with copies of it that differ in what a list looks for. */
async function fill(admin: Pool, history: TaskHistory, tasks: number): Promise<void> {
  const log = [
    { type: "message.appended", message: { ts: 10, type: "say", say: "text", text: "A task" } },
  ] as const;
  const lines = [
    encodeLine({ seq: 0, kind: "header", version: JOURNAL_VERSION, taskId: "task-0", createdAt: 1 }),
    encodeLine({ seq: 1, kind: "commit", at: 10, before: "no_task", after: "resumable", log }),
  ].map((line) => Buffer.from(`${line}\n`));
  await admin.query("INSERT INTO at_rest.task (id) VALUES ('task-0')");
  let from = 0;
  for (const [n, line] of lines.entries()) {
    await admin.query(
      "INSERT INTO at_rest.record (task, n, from_byte, content) VALUES ('task-0', $1, $2, $3)",
      [n, from, line],
    );
    from += line.length;
  }
  await history.list();
  await admin.query(`
    INSERT INTO at_rest.task (id, summarized_epoch) SELECT 'task-' || g, 0 FROM generate_series(1, ${tasks - 1}) g;
    INSERT INTO at_rest.record (task, n, from_byte, content) SELECT 'task-' || g, n, from_byte, content
      FROM generate_series(1, ${tasks - 1}) g, (SELECT * FROM at_rest.record WHERE task = 'task-0') r;
    INSERT INTO at_rest.task_summary (id, sort_key, workspace, words, summary, bytes, generation, checked_bytes, checked_lines,
        epoch, changed_in)
      SELECT 'task-' || g, -1e12 - floor(random() * 1e10), '/src/project-' || g % 100,
          to_tsvector('simple', format('task %s src project %s code %s', g, g % 100, given.words)),
          replace(replace(summary, '"task-0"', '"task-' || g || '"'), 'A task', 'Make a change of task ' || g || ' ' || given.words),
          bytes, generation, checked_bytes, checked_lines, epoch, changed_in
        FROM generate_series(1, ${tasks - 1}) g
          CROSS JOIN LATERAL (SELECT concat_ws(' ', ${Object.entries(WORDS)
            .map(([word, share]) => `CASE WHEN g % ${share} = 1 THEN '${word}' END`)
            .join(", ")}) AS words) given,
          (SELECT * FROM at_rest.task_summary WHERE id = 'task-0') s;`);
  await admin.query("VACUUM ANALYZE");
}

/** The times of calls, one of each kind after the other, in ms. Each is called once before. */
async function measure(
  calls: readonly (() => ReturnType<TaskHistory["list"]>)[],
): Promise<readonly number[]> {
  for (const call of calls) await call();
  const ms: number[] = [];
  while (ms.length < CALLS) for (const call of calls) ms.push(await timeOf(call));
  return ms;
}

async function timeOf(call: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await call();
  return performance.now() - start;
}
