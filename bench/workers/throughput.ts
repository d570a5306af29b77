import type { ChildProcess } from "node:child_process";
import { formatSpread, median, sum } from "../harness/numbers.ts";
import { atLeast, type BenchResult, reference } from "../harness/results.ts";
import { type Places, sendStarts, taskIds, withPlaces } from "./places.ts";
import type { Sizes } from "./sizes.ts";

export interface Throughput {
  readonly results: readonly BenchResult[];
  /** Turns per second of the workers. */
  readonly turnsPerSecond: number;
}

/** Least ratio of the turns per second of the workers to those of one process. */
const LEAST = 0.6;

/** One run. */
interface Run {
  readonly turnsPerSecond: number;
  /** CPU of a turn in all processes but the server, in ms. */
  readonly cpuMs: number;
}

/** Turns per second of workers on a database, and of one process with journals in files, on the same cores. */
export async function throughput(workerFile: string, sizes: Sizes): Promise<Throughput> {
  const one: Run[] = [];
  const many: Run[] = [];
  for (let round = 0; round < sizes.rounds; round += 1) {
    one.push(await withPlaces(workerFile, (places) => embedded(places, sizes)));
    many.push(await withPlaces(workerFile, (places) => workers(places, sizes)));
  }
  const turnsPerSecond = median(many.map((run) => run.turnsPerSecond));
  return { turnsPerSecond, results: resultsOf(one, many, sizes) };
}

function resultsOf(one: readonly Run[], many: readonly Run[], sizes: Sizes): readonly BenchResult[] {
  const { rounds, tasks, turns, warmUp } = sizes;
  const ratiosOf = (key: keyof Run): readonly number[] =>
    many.map((run, round) => run[key] / (one[round]?.[key] ?? Number.NaN));
  const rates = ratiosOf("turnsPerSecond");
  const cpu = ratiosOf("cpuMs");
  const workers = `${sizes.workers} workers with PostgreSQL`;
  const detail = `${rounds} pairs of runs: ${formatSpread(rates)}; ${tasks} tasks of ${turns} turns; each process has run ${warmUp} tasks before`;
  const row = (name: string, runs: readonly Run[]): BenchResult => {
    const all = runs.map((run) => run.turnsPerSecond);
    return reference(name, median(all), "turns/s", formatSpread(all));
  };
  return [
    atLeast(`turns/s, ${workers} : 1 process with files`, median(rates), "x", LEAST, detail),
    reference("the same, CPU of a turn without the server", median(cpu), "x", formatSpread(cpu)),
    row(`turns/s of ${workers}`, many),
    row("turns/s of 1 process with files", one),
  ];
}

/** The process has loaded its modules and run other tasks before. */
async function embedded(places: Places, { tasks, turns, warmUp }: Sizes): Promise<Run> {
  const child = await places.start({ kind: "embedded", turns, tasks, warmUp, atOnce: tasks });
  return run(places, [child], { tasks, turns });
}

/** The tasks are woken before, so that they wait for the workers. */
async function workers(places: Places, { tasks, turns, warmUp, workers }: Sizes): Promise<Run> {
  await sendStarts(places.url, taskIds("task", tasks));
  const atOnce = Math.ceil(tasks / workers);
  const children = await Promise.all(
    Array.from({ length: workers }, () => places.start({ kind: "worker", turns, tasks: 0, warmUp, atOnce })),
  );
  return run(places, children, { tasks, turns });
}

async function run(
  { processes }: Places,
  children: readonly ChildProcess[],
  { tasks, turns }: Pick<Sizes, "tasks" | "turns">,
): Promise<Run> {
  const cpuOf = async (): Promise<number> =>
    sum((await Promise.all(children.map((child) => processes.usage(child)))).map(({ cpuMs }) => cpuMs));
  const cpuBefore = await cpuOf();
  const began = performance.now();
  for (const child of children) processes.request(child, "go");
  await processes.until(() => processes.count("ended") === tasks);
  const turnsPerSecond = (tasks * turns) / ((performance.now() - began) / 1_000);
  return { turnsPerSecond, cpuMs: ((await cpuOf()) - cpuBefore) / (tasks * turns) };
}
