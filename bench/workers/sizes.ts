/** The sizes of the measurements. */
export interface Sizes {
  /** Pairs of runs. Their median counts. */
  readonly rounds: number;
  readonly workers: number;
  readonly tasks: number;
  readonly turns: number;
  /** Tasks that each process runs before. */
  readonly warmUp: number;
  readonly starts: number;
  /** Tasks that stream in one worker. */
  readonly streaming: number;
  /** Tasks at rest beside which workers start. */
  readonly atRest: number;
}

/** The environment variable SIGNALBOX_BENCH_TASKS changes the number of tasks at rest. */
export function sizesOf(isQuick: boolean): Sizes {
  const sizes = isQuick ? QUICK : FULL;
  return { ...sizes, atRest: Number(process.env.SIGNALBOX_BENCH_TASKS ?? sizes.atRest) };
}

const FULL: Sizes = {
  rounds: 3,
  workers: 4,
  tasks: 120,
  turns: 10,
  warmUp: 25,
  starts: 10,
  streaming: 1_000,
  atRest: 1_000_000,
};

const QUICK: Sizes = {
  rounds: 1,
  workers: 2,
  tasks: 6,
  turns: 2,
  warmUp: 1,
  starts: 2,
  streaming: 20,
  atRest: 1_000,
};
