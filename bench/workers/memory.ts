import { Client } from "pg";
import { formatNumber } from "../harness/numbers.ts";
import { type BenchResult, reference } from "../harness/results.ts";
import { LISTS, type ListTime, listTime, PAGE } from "./list-time.ts";
import { sendStarts, taskIds, withPlaces } from "./places.ts";
import type { Sizes } from "./sizes.ts";

/** Bytes of a worker. */
interface Bytes {
  readonly heap: number;
  readonly resident: number;
}

/** Figures of a worker whose tasks all stream. */
export interface Memory {
  readonly results: readonly BenchResult[];
  readonly tasks: number;
  /** Bytes of a worker with one task. */
  readonly before: Bytes;
  readonly perTask: Bytes;
  readonly connections: number;
  readonly listBefore: ListTime;
  readonly list: ListTime;
}

/** Memory and connections of a worker whose tasks all stream a response. */
export const memory = (workerFile: string, { streaming }: Sizes): Promise<Memory> =>
  withPlaces(workerFile, async (places) => {
    const { url, processes, start } = places;
    const worker = await start({ kind: "worker", turns: 0, tasks: 0, warmUp: 0, atOnce: streaming + 1 });
    processes.request(worker, "go");
    // The first task loads and compiles what all use.
    await sendStarts(url, ["first"]);
    await processes.until(() => processes.count("begun") === 1);
    const listBefore = await listTime(url);
    const before = await processes.usage(worker);
    await sendStarts(url, taskIds("streaming", streaming));
    await processes.until(() => processes.count("begun") === streaming + 1);
    const after = await processes.usage(worker);
    const measured = {
      tasks: streaming,
      before,
      perTask: {
        heap: (after.heap - before.heap) / streaming,
        resident: (after.resident - before.resident) / streaming,
      },
      connections: await connectionsOf(url),
      listBefore,
      list: await listTime(url),
    };
    return { ...measured, results: resultsOf(measured) };
  });

function resultsOf({
  tasks,
  before,
  perTask,
  connections,
  listBefore,
  list,
}: Omit<Memory, "results">): readonly BenchResult[] {
  const bytes = (name: string, kind: keyof Bytes): BenchResult => {
    const each = `${formatNumber(perTask[kind] / 1_000)} KB a task`;
    const detail = `${each}; beyond ${formatNumber(before[kind] / 1e6)} MB with 1 task`;
    return reference(name, (perTask[kind] * tasks) / 1e6, "MB", detail);
  };
  const lists = `p50 ${formatNumber(list.p50)} ms; with 1 task p50 ${formatNumber(listBefore.p50)} ms; ${LISTS} lists of ${PAGE} tasks`;
  return [
    bytes(`heap of a worker with ${tasks} tasks that stream, after a collection`, "heap"),
    bytes("its resident memory", "resident"),
    reference("its connections", connections, "connections", "to the server; two listen"),
    reference("page of the list beside its tasks, p99", list.p99, "ms", lists),
  ];
}

/** The connections of the worker: all others are closed. */
async function connectionsOf(url: string): Promise<number> {
  const client = new Client(url);
  await client.connect();
  try {
    const { rows } = await client.query<{ connections: number }>(
      "SELECT count(*)::int AS connections FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
    );
    return rows[0]?.connections ?? 0;
  } finally {
    await client.end();
  }
}
