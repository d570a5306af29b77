import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import type { ExploreOptions } from "../../verify/exploration.ts";
import { type AnyExplored, type AnyJob, runAny } from "./job.ts";

type JobProgress = Parameters<NonNullable<ExploreOptions["onProgress"]>>[0];
export type ThreadMessage = { readonly progress: JobProgress } | { readonly explored: AnyExplored };

/** Marks a thread that was started here: tests run in threads as well. */
const MARK = "signalbox verify";
/** Most objects of an exploration are short-lived: a larger young generation saves a fifth of its time. */
const YOUNG_GENERATION_MB = 64;

/** Whether this code can run in a thread: only the build, not the source. */
export const hasThreads = !import.meta.url.endsWith(".ts");

/** A thread that runs jobs one after another and reports progress. */
export class Thread {
  readonly #worker = new Worker(new URL(import.meta.url), {
    workerData: MARK,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });

  /** @throws what the thread ended with. */
  do(job: AnyJob, onProgress: (far: JobProgress) => void): Promise<AnyExplored> {
    const worker = this.#worker;
    return new Promise((resolve, reject) => {
      const onMessage = (message: ThreadMessage): void => {
        if ("progress" in message) {
          onProgress(message.progress);
          return;
        }
        worker.off("message", onMessage).off("error", reject);
        resolve(message.explored);
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
  port?.on("message", (job: AnyJob) => {
    const explored = runAny(job, (progress) => port.postMessage({ progress } satisfies ThreadMessage));
    port.postMessage({ explored } satisfies ThreadMessage);
  });
}
