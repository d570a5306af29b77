import { formatSpread, median } from "../harness/numbers.ts";
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

/** Turns per second of workers on a database, and of one process with journals in files, on the same cores. */
export async function throughput(workerFile: string, sizes: Sizes): Promise<Throughput> {
  const one: number[] = [];
  const many: number[] = [];
  for (let round = 0; round < sizes.rounds; round += 1) {
    one.push(await withPlaces(workerFile, (places) => embedded(places, sizes)));
    many.push(await withPlaces(workerFile, (places) => workers(places, sizes)));
  }
  const ratios = many.map((rate, round) => rate / (one[round] ?? Number.NaN));
  const work = `${sizes.tasks} tasks of ${sizes.turns} turns`;
  const turnsPerSecond = median(many);
  return {
    turnsPerSecond,
    results: [
      atLeast(
        `turns/s, ${sizes.workers} workers with PostgreSQL : 1 process with files`,
        median(ratios),
        "x",
        LEAST,
        `median of ${sizes.rounds} pairs of runs: ${formatSpread(ratios)}; ${work}, without the start of the processes`,
      ),
      reference(`${sizes.workers} workers with PostgreSQL`, turnsPerSecond, "turns/s", formatSpread(many)),
      reference("1 process with files", median(one), "turns/s", formatSpread(one)),
    ],
  };
}

/** The processes have loaded their modules before. */
async function embedded({ processes, start }: Places, { tasks, turns }: Sizes): Promise<number> {
  const child = await start({ kind: "embedded", turns, tasks, atOnce: tasks });
  const began = performance.now();
  processes.request(child, "go");
  await processes.until(() => processes.count("ended") === tasks);
  return rate(tasks * turns, began);
}

/** The tasks are woken before, so that they wait for the workers. */
async function workers({ url, processes, start }: Places, { tasks, turns, workers }: Sizes): Promise<number> {
  await sendStarts(url, taskIds("task", tasks));
  const atOnce = Math.ceil(tasks / workers);
  const children = await Promise.all(
    Array.from({ length: workers }, () => start({ kind: "worker", turns, tasks: 0, atOnce })),
  );
  const began = performance.now();
  for (const child of children) processes.request(child, "go");
  await processes.until(() => processes.count("ended") === tasks);
  return rate(tasks * turns, began);
}

const rate = (turns: number, began: number): number => turns / ((performance.now() - began) / 1_000);
