import { availableParallelism } from "node:os";
import type { taskMachine } from "../../machines/task/index.ts";
import { doJob, type Explored, type Job } from "./job.ts";
import { hasThreads, Thread } from "./thread.ts";

/** How far all explorations are together. */
export interface Far {
  readonly states: number;
  readonly steps: number;
  readonly done: number;
}

/**
 * Does all jobs, on as many threads as there are cores, until one finds a violation; those that are under way then are
 * broken off. A machine of somebody's own can't be sent to a thread: it is explored here.
 */
export async function doAll(
  jobs: readonly Job[],
  onFar: (far: Far) => void,
  machine?: typeof taskMachine,
): Promise<readonly Explored[]> {
  const progress = new Progress(jobs, onFar);
  const threads =
    hasThreads && machine === undefined && jobs.length > 1
      ? Math.min(availableParallelism(), jobs.length)
      : 1;
  return threads > 1 ? inThreads(jobs, threads, progress) : here(jobs, progress, machine);
}

function here(jobs: readonly Job[], progress: Progress, machine?: typeof taskMachine): readonly Explored[] {
  const done: Explored[] = [];
  for (const job of jobs) {
    const explored = doJob(job, (far) => progress.tell(job, far), machine);
    progress.end(job, explored);
    done.push(explored);
    if (explored.violations.length > 0) break;
  }
  return done;
}

async function inThreads(
  jobs: readonly Job[],
  count: number,
  progress: Progress,
): Promise<readonly Explored[]> {
  const waiting = [...jobs];
  const done = new Map<Job, Explored>();
  const threads = Array.from({ length: count }, () => new Thread());
  let isOver = (): void => {};
  const over = new Promise<void>((resolve) => {
    isOver = resolve;
  });
  const work = threads.map(async (thread) => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      const mine = job;
      const explored = await thread.do(mine, (far) => progress.tell(mine, far));
      progress.end(mine, explored);
      done.set(mine, explored);
      if (explored.violations.length > 0) isOver();
    }
  });
  try {
    await Promise.race([Promise.all(work), over]);
  } finally {
    await Promise.all(threads.map((thread) => thread.end()));
  }
  return jobs.flatMap((job) => done.get(job) ?? []);
}

class Progress {
  readonly #far: Map<Job, { readonly states: number; readonly steps: number }>;
  readonly #onFar: (far: Far) => void;
  #done = 0;

  constructor(jobs: readonly Job[], onFar: (far: Far) => void) {
    this.#far = new Map(jobs.map((job) => [job, { states: 0, steps: 0 }]));
    this.#onFar = onFar;
  }

  tell(job: Job, far: { readonly states: number; readonly steps: number }): void {
    this.#far.set(job, far);
    let states = 0;
    let steps = 0;
    for (const one of this.#far.values()) {
      states += one.states;
      steps += one.steps;
    }
    this.#onFar({ states, steps, done: this.#done });
  }

  end(job: Job, explored: Explored): void {
    this.#done += 1;
    this.tell(job, explored);
  }
}
