import type { TaskInput } from "../../machines/task/task.context.ts";
import { taskMachine } from "../../machines/task/task.machine.ts";
import { type Coverage, CoverageMeter } from "../coverage.ts";
import { type SimulatedViolation, type SimulateOptions, simulateMetered } from "./simulation.ts";

/** Options of {@link soak}. */
export interface SoakOptions extends Omit<SimulateOptions, "seed"> {
  /** Seed of the first task; each further task uses the next. Default 1. */
  readonly seed?: number;
  /** Limit of tasks. Default: unlimited with `forMs`, otherwise 100. */
  readonly tasks?: number;
  /** Duration in milliseconds of `now`. Default: unlimited. */
  readonly forMs?: number;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Called once per 100 tasks. */
  readonly onProgress?: (tasks: number) => void;
}

/** The result of {@link soak}. */
export interface Soak {
  readonly firstSeed: number;
  readonly tasks: number;
  /** Macrosteps that changed something. */
  readonly steps: number;
  readonly crashes: number;
  readonly tookMs: number;
  /** Tasks per kind of end. */
  readonly ends: Readonly<Record<"completed" | "left" | "cut" | "broken", number>>;
  readonly coverage: Coverage;
  /** The first violation, and the seed that reproduces it. */
  readonly failure?: {
    readonly seed: number;
    readonly input: TaskInput;
    readonly violation: SimulatedViolation;
  };
}

const TASKS_PER_REPORT = 100;

/**
 * Simulate tasks with successive seeds, until a limit is reached or a law is violated.
 *
 * @example
 * ```ts
 * import { soak } from "signalbox/verify";
 * const { tasks, failure } = soak({ seed: 1, tasks: 20, now: () => performance.now() });
 * console.log(tasks, failure); // 20 undefined
 * ```
 */
export function soak({ seed = 1, tasks, forMs, now, onProgress, ...options }: SoakOptions): Soak {
  const startedAt = now();
  const tasksMax = tasks ?? (forMs === undefined ? TASKS_PER_REPORT : Number.POSITIVE_INFINITY);
  const meter = new CoverageMeter(options.machine ?? taskMachine);
  const ends = { completed: 0, left: 0, cut: 0, broken: 0 };
  let [done, steps, crashes] = [0, 0, 0];
  let failure: Soak["failure"];
  const endsAt = startedAt + (forMs ?? Number.POSITIVE_INFINITY);
  while (failure === undefined && done < tasksMax && now() < endsAt) {
    const { end, violation, input, ...task } = simulateMetered({ ...options, seed: seed + done }, meter);
    done += 1;
    steps += task.steps;
    crashes += task.crashes;
    ends[end] += 1;
    if (violation !== undefined) failure = { seed: task.seed, input, violation };
    if (done % TASKS_PER_REPORT === 0) onProgress?.(done);
  }
  const { coverage } = meter;
  const result = { firstSeed: seed, tasks: done, steps, crashes, tookMs: now() - startedAt, ends, coverage };
  return failure === undefined ? result : { ...result, failure };
}
