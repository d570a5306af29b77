import { availableParallelism } from "node:os";
import { type AnyExplored, type AnyJob, isBroken, type Modules, runAny } from "./job.ts";
import { hasThreads, Thread } from "./thread.ts";

/** Progress of all explorations together. */
export interface ExplorationProgress {
  readonly states: number;
  readonly steps: number;
  readonly done: number;
}

/**
 * Run all jobs, on as many threads as there are cores, until one finds a violation; the others are then stopped. A custom
 * machine or protocol can't be sent to a thread: it is explored in this one.
 */
export async function exploreAll(
  jobs: readonly AnyJob[],
  onProgress: (far: ExplorationProgress) => void,
  modules: Modules = {},
): Promise<readonly AnyExplored[]> {
  const progress = new Progress(jobs, onProgress);
  const threads =
    hasThreads && isNone(modules) && jobs.length > 1 ? Math.min(availableParallelism(), jobs.length) : 1;
  return threads > 1 ? inThreads(jobs, threads, progress) : inThisThread(jobs, progress, modules);
}

const isNone = ({ machine, protocol }: Modules): boolean => machine === undefined && protocol === undefined;

function inThisThread(jobs: readonly AnyJob[], progress: Progress, modules: Modules): readonly AnyExplored[] {
  const done: AnyExplored[] = [];
  for (const job of jobs) {
    const explored = runAny(job, (far) => progress.update(job, far), modules);
    progress.end(job, explored);
    done.push(explored);
    if (isBroken(explored)) break;
  }
  return done;
}

async function inThreads(
  jobs: readonly AnyJob[],
  count: number,
  progress: Progress,
): Promise<readonly AnyExplored[]> {
  const waiting = [...jobs];
  const done = new Map<AnyJob, AnyExplored>();
  const threads = Array.from({ length: count }, () => new Thread());
  let isOver = (): void => {};
  const over = new Promise<void>((resolve) => {
    isOver = resolve;
  });
  const work = threads.map(async (thread) => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      const current = job;
      const explored = await thread.do(current, (far) => progress.update(current, far));
      progress.end(current, explored);
      done.set(current, explored);
      if (isBroken(explored)) isOver();
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
  readonly #byJob: Map<AnyJob, { readonly states: number; readonly steps: number }>;
  readonly #onProgress: (far: ExplorationProgress) => void;
  #done = 0;

  constructor(jobs: readonly AnyJob[], onProgress: (far: ExplorationProgress) => void) {
    this.#byJob = new Map(jobs.map((job) => [job, { states: 0, steps: 0 }]));
    this.#onProgress = onProgress;
  }

  update(job: AnyJob, far: { readonly states: number; readonly steps: number }): void {
    this.#byJob.set(job, far);
    let states = 0;
    let steps = 0;
    for (const one of this.#byJob.values()) {
      states += one.states;
      steps += one.steps;
    }
    this.#onProgress({ states, steps, done: this.#done });
  }

  end(job: AnyJob, explored: AnyExplored): void {
    this.#done += 1;
    this.update(job, explored);
  }
}
