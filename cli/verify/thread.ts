import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import type { ExploreOptions } from "../../verify/index.ts";
import { doJob, type Explored, type Job } from "./job.ts";

type Far = Parameters<NonNullable<ExploreOptions["onProgress"]>>[0];
export type Told = { readonly far: Far } | { readonly explored: Explored };

/** Marks a thread that was started here: tests run in threads of their own. */
const MARK = "signalbox verify";
/** Most of what an exploration makes is dropped at once: a larger nursery spares it a fifth of its time. */
const NURSERY_MB = 64;

/** Whether this code can be run in a thread: as it is built, and not from its source. */
export const hasThreads = !import.meta.url.endsWith(".ts");

/** A thread that does jobs one after another and tells what it has. */
export class Thread {
  readonly #worker = new Worker(new URL(import.meta.url), {
    workerData: MARK,
    resourceLimits: { maxYoungGenerationSizeMb: NURSERY_MB },
  });

  /** @throws what the thread ended with. */
  do(job: Job, onFar: (far: Far) => void): Promise<Explored> {
    const worker = this.#worker;
    return new Promise((resolve, reject) => {
      const onMessage = (told: Told): void => {
        if ("far" in told) {
          onFar(told.far);
          return;
        }
        worker.off("message", onMessage).off("error", reject);
        resolve(told.explored);
      };
      worker.on("message", onMessage).on("error", reject);
      worker.postMessage(job);
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

if (!isMainThread && workerData === MARK) {
  const port = parentPort;
  port?.on("message", (job: Job) => {
    const explored = doJob(job, (far) => port.postMessage({ far } satisfies Told));
    port.postMessage({ explored } satisfies Told);
  });
}
