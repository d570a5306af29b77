import { Pool } from "pg";
import { DEFAULT_SCHEMA } from "../../store/postgres/schema-name.ts";
import { openPostgres } from "../../store/postgres/store.ts";
import { formatNumber, median } from "../harness/numbers.ts";
import { type BenchResult, limited } from "../harness/results.ts";
import { bytesPerTask, fillTasksAtRest } from "../postgres/filled-tasks.ts";
import { type ListTime, listTime } from "./list-time.ts";
import { type Places, sendStarts, withPlaces } from "./places.ts";
import type { Sizes } from "./sizes.ts";

/** Maximum time from the start of the process. */
const LIMIT_MS = 1_000;

/** Figures of a database with tasks at rest. */
export interface Starts {
  readonly results: readonly BenchResult[];
  /** Bytes of a task on disk, and those of them that are the index of the list. */
  readonly bytes: { readonly all: number; readonly index: number };
  readonly list: ListTime;
}

/** Time from the start of a process until the worker takes tasks, and until it has begun its first one, which waits for it. */
export const starts = (workerFile: string, { starts, atRest }: Sizes): Promise<Starts> =>
  withPlaces(workerFile, async (places) => {
    const bytes = await fill(places.url, atRest);
    const list = await listTime(places.url);
    const ready: number[] = [];
    const begun: number[] = [];
    for (let n = 0; n < starts; n += 1) {
      await sendStarts(places.url, [`started-${n}`]);
      const times = await start(places);
      ready.push(times.ready);
      begun.push(times.begun);
    }
    const result = (what: string, times: readonly number[]): BenchResult => {
      const detail = `longest ${formatNumber(Math.max(...times))} ms of ${times.length} starts, beside ${atRest} tasks at rest`;
      return limited(`start of a worker to ${what}, p50`, median(times), "ms", LIMIT_MS, detail);
    };
    return {
      bytes,
      list,
      results: [result("taking tasks", ready), result("the first request of a woken task", begun)],
    };
  });

async function fill(url: string, tasks: number): Promise<Starts["bytes"]> {
  const admin = new Pool({ connectionString: url, max: 1 });
  const store = await openPostgres({ url });
  try {
    await fillTasksAtRest(admin, store.history, { schema: DEFAULT_SCHEMA, tasks });
    return await bytesPerTask(admin, { schema: DEFAULT_SCHEMA, tasks });
  } finally {
    await store.close();
    await admin.end();
  }
}

async function start({
  processes,
  start,
}: Places): Promise<{ readonly ready: number; readonly begun: number }> {
  const began = performance.now();
  const child = await start({ kind: "worker", turns: 1, tasks: 0, warmUp: 0, atOnce: 100 });
  processes.request(child, "go");
  await processes.until(() => processes.report(child, "ready") !== undefined);
  const ready = performance.now() - began;
  await processes.until(() => processes.countOf(child, "begun") === 1);
  const begun = performance.now() - began;
  await processes.until(() => processes.countOf(child, "ended") === 1);
  await processes.stop(child);
  return { ready, begun };
}
