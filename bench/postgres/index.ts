import { Pool } from "pg";
import type { JournalDriver } from "../../ports/journal.ts";
import { Database } from "../../store/postgres/database.ts";
import { migrate } from "../../store/postgres/migrations.ts";
import { openPostgres } from "../../store/postgres/store.ts";
import {
  type BenchOptions,
  type BenchResult,
  Cluster,
  formatNumber,
  hasPostgres,
  limited,
  median,
  quantile,
} from "../harness/index.ts";
import { cancels } from "./cancel.ts";
import { tasksAtRest } from "./tasks-at-rest.ts";

const SIZES = {
  full: { rounds: 8, commits: 2_000, cancels: 300, tasks: 100_000 },
  quick: { rounds: 4, commits: 500, cancels: 100, tasks: 100_000 },
  tiny: { rounds: 1, commits: 32, cancels: 3, tasks: 2_000 },
} as const;

/** Tasks that commit at the same time. */
const TASKS = [1, 16];
const LINE = `{"crc":"00000000","text":"${"x".repeat(300)}"}`;
const LEASE_MS = 3_600_000;

/** Writes one line, the `n`th of a task. */
type Commit = (task: string, n: number) => Promise<unknown>;

interface Round {
  readonly ms: readonly number[];
  readonly rate: number;
}

/**
 * Time of a commit of one line in PostgreSQL, against a plain INSERT with a key of task and number on the same server; of a
 * cancel by another process; and of a page of the list of tasks at rest, whose number the variable SIGNALBOX_BENCH_TASKS changes.
 */
export async function postgres({ size }: BenchOptions): Promise<readonly BenchResult[]> {
  if (!hasPostgres) {
    console.error("postgres: no initdb was found, so it was left out.");
    return [];
  }
  const cluster = await Cluster.start();
  try {
    const tasks = Number(process.env.SIGNALBOX_BENCH_TASKS ?? SIZES[size].tasks);
    return [
      ...(await measured(cluster.url(), SIZES[size])),
      ...(await cancels(cluster.url(), SIZES[size].cancels)),
      ...(await tasksAtRest(cluster.url(), tasks)),
    ];
  } finally {
    await cluster.remove();
  }
}

async function measured(
  url: string,
  { rounds, commits }: (typeof SIZES)[keyof typeof SIZES],
): Promise<readonly BenchResult[]> {
  const database = await Database.open({ url });
  await migrate(database, "signalbox");
  await database.close();
  const max = Math.max(...TASKS);
  const store = await openPostgres({
    url,
    connection: { max },
    leaseMs: LEASE_MS,
  });
  const plain = new Pool({ connectionString: url, max });
  await plain.query("CREATE TABLE plain (task text, seq bigint, content bytea, PRIMARY KEY (task, seq))");
  const drivers = new Map<string, JournalDriver>();
  const driverOf = (task: string): JournalDriver => {
    const driver = drivers.get(task) ?? store.journal(task);
    drivers.set(task, driver);
    return driver;
  };
  const journal: Commit = (task) => driverOf(task).append([LINE]);
  const content = Buffer.from(`${LINE}\n`);
  const insert: Commit = (task, n) =>
    plain.query("INSERT INTO plain (task, seq, content) VALUES ($1, $2, $3)", [task, n, content]);
  try {
    const results: BenchResult[] = [];
    for (const tasks of TASKS) {
      const ours: Round[] = [];
      const theirs: Round[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const run = (commit: Commit) => commitAll(commit, tasks, commits, `${tasks}-${round}`);
        ours.push(await run(journal));
        theirs.push(await run(insert));
      }
      results.push(compared(tasks, ours, theirs));
    }
    return results;
  } finally {
    for (const driver of drivers.values()) await driver.close();
    await store.close();
    await plain.end();
  }
}

/** Commit lines of several tasks at the same time, one after the other in each. The first commit of a task, which owns it, is not measured. */
async function commitAll(commit: Commit, tasks: number, commits: number, name: string): Promise<Round> {
  const names = Array.from({ length: tasks }, (_, index) => `task-${name}-${index}`);
  await Promise.all(names.map((task) => commit(task, 0)));
  const ms: number[] = [];
  const began = performance.now();
  await Promise.all(
    names.map(async (task) => {
      for (let n = 1; n <= commits / tasks; n += 1) {
        const start = performance.now();
        await commit(task, n);
        ms.push(performance.now() - start);
      }
    }),
  );
  return { ms, rate: (ms.length / (performance.now() - began)) * 1000 };
}

function compared(tasks: number, ours: readonly Round[], theirs: readonly Round[]): BenchResult {
  const timeOf = (rounds: readonly Round[]): number => median(rounds.map(({ ms }) => median(ms)));
  return limited(
    `commit in PostgreSQL, ${tasks === 1 ? "1 task" : `${tasks} tasks`}, journal : plain INSERT`,
    timeOf(ours) / timeOf(theirs),
    "x",
    1.3,
    `${formatRounds(ours)} against ${formatRounds(theirs)}; medians of ${ours.length} interleaved runs`,
  );
}

function formatRounds(rounds: readonly Round[]): string {
  const p99 = median(rounds.map(({ ms }) => quantile(ms, 0.99)));
  const p50 = median(rounds.map(({ ms }) => median(ms)));
  const rate = median(rounds.map(({ rate }) => rate));
  return `p50 ${formatNumber(p50)} ms, p99 ${formatNumber(p99)} ms, ${formatNumber(rate)} commits/s`;
}
