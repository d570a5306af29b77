import { type TaskInput, taskMachine } from "../../machines/task/index.ts";
import { type Coverage, CoverageMeter } from "../coverage.ts";
import { type SimulatedViolation, type SimulateOptions, simulateMetered } from "./simulation.ts";

export interface SoakOptions extends Omit<SimulateOptions, "seed"> {
  /** The first seed; each further task has the next. Default 1. */
  readonly seed?: number;
  /** How many tasks at most. Default: as many as the time allows. */
  readonly tasks?: number;
  /** For how long, in milliseconds by `now`. One of the two is needed. */
  readonly forMs?: number;
  /** Milliseconds of any clock that goes on. */
  readonly now: () => number;
  /** Told after each so many tasks. */
  readonly onProgress?: (tasks: number) => void;
}

export interface Soak {
  readonly firstSeed: number;
  readonly tasks: number;
  /** Macrosteps that changed something. */
  readonly steps: number;
  readonly crashes: number;
  readonly tookMs: number;
  /** How the tasks ended. */
  readonly ends: Readonly<Record<"completed" | "left" | "cut" | "broken", number>>;
  /** States and rows of the machine's table, and whether they were taken. */
  readonly coverage: Coverage;
  /** The first violation, and the seed by which it comes again. */
  readonly failure?: {
    readonly seed: number;
    readonly input: TaskInput;
    readonly violation: SimulatedViolation;
  };
}

const TASKS_A_REPORT = 100;

/**
 * Simulates task after task, each by the next seed, until the time or the number is over or a law is broken.
 *
 * @example
 * ```ts
 * import { soak } from "signalbox/verify";
 * const { tasks, failure } = soak({ seed: 1, tasks: 20, now: () => performance.now() });
 * console.log(tasks, failure); // 20 undefined
 * ```
 */
export function soak({ seed = 1, tasks, forMs, now, onProgress, ...options }: SoakOptions): Soak {
  const begun = now();
  const tasksMax = tasks ?? (forMs === undefined ? TASKS_A_REPORT : Number.POSITIVE_INFINITY);
  const meter = new CoverageMeter(options.machine ?? taskMachine);
  const ends = { completed: 0, left: 0, cut: 0, broken: 0 };
  let [done, steps, crashes] = [0, 0, 0];
  let failure: Soak["failure"];
  while (failure === undefined && done < tasksMax && now() - begun < (forMs ?? Number.POSITIVE_INFINITY)) {
    const one = simulateMetered({ ...options, seed: seed + done }, meter);
    done += 1;
    steps += one.steps;
    crashes += one.crashes;
    ends[one.end] += 1;
    if (one.violation !== undefined) failure = { seed: one.seed, input: one.input, violation: one.violation };
    if (done % TASKS_A_REPORT === 0) onProgress?.(done);
  }
  const { coverage } = meter;
  const found = { firstSeed: seed, tasks: done, steps, crashes, tookMs: now() - begun, ends, coverage };
  return failure === undefined ? found : { ...found, failure };
}
