import { Pool } from "pg";
import { Database } from "../../store/postgres/database.ts";
import { migrate } from "../../store/postgres/migrations.ts";
import { openPostgres } from "../../store/postgres/store.ts";
import type { TaskHistory } from "../../store/task-history/task-history.ts";
import { type BenchResult, formatNumber, limited, median, quantile } from "../harness/index.ts";
import { bytesPerTask, fillTasksAtRest } from "./filled-tasks.ts";

const SCHEMA = "at_rest";

/** Milliseconds of a page of a list or a search. */
const LIMIT_MS = 100;
const PAGE = 50;
const CALLS = 200;

/** Time of a page of the list of many tasks at rest, and of a search in it. */
export async function tasksAtRest(url: string, tasks: number): Promise<readonly BenchResult[]> {
  const database = await Database.open({ url });
  await migrate(database, SCHEMA);
  await database.close();
  const admin = new Pool({ connectionString: url, max: 1 });
  const store = await openPostgres({ url, schema: SCHEMA });
  try {
    const { history } = store;
    await fillTasksAtRest(admin, history, { schema: SCHEMA, tasks });
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
    const { all, index } = await bytesPerTask(admin, { schema: SCHEMA, tasks });
    const bytes = `${formatNumber(all)} bytes a task on disk, ${formatNumber(index)} of them of the index`;
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
