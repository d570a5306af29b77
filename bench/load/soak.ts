import { setTimeout as wait } from "node:timers/promises";
import { anthropic } from "../../adapters/index.ts";
import type { ChatModel } from "../../ports/model.ts";
import { createHost, type Host } from "../../runtime/host.ts";
import { fileJournal } from "../../store/index.ts";
import { taskFolder } from "../../store/task-history/task-folder.ts";
import { createFolders, heldBytes, stopwatch, streamedChars, type Timing } from "../harness/index.ts";
import { CountedJournal, type LongestQueue } from "./counted-journal.ts";

export interface SoakOptions {
  readonly url: string;
  readonly folder: string;
  /** Tasks that stream at the same time. */
  readonly tasks: number;
  /** The time in which they start, evenly. */
  readonly rampMs: number;
}

export interface Held extends Timing {
  readonly bytes: number;
  /** Tasks that completed and characters that arrived in the measured time. */
  readonly completed: number;
  readonly chars: number;
  /** The most commits that waited for one write of a journal, since the start. */
  readonly longestQueue: number;
}

/** Tasks that stream at the same time: each is followed by a new one when it completes, so that the text is bounded. */
export class Soak {
  readonly #host: Host;
  readonly #model: ChatModel;
  readonly #workspace: string;
  readonly #longest: LongestQueue;
  readonly #places: Promise<void>[] = [];
  #isStopped = false;
  #completed = 0;
  #chars = 0;

  private constructor(host: Host, model: ChatModel, workspace: string, longest: LongestQueue) {
    this.#host = host;
    this.#model = model;
    this.#workspace = workspace;
    this.#longest = longest;
  }

  /** Resolves when all tasks have started. */
  static async start({ url, folder, tasks, rampMs }: SoakOptions): Promise<Soak> {
    const { workspace, dataDir } = await createFolders(folder);
    const longest = { lines: 0 };
    const host = createHost({
      journal: (id) => new CountedJournal(fileJournal({ dir: taskFolder(dataDir, id) }), longest),
    });
    const model = anthropic({ model: "bench-model", apiKey: "bench", baseURL: url });
    const soak = new Soak(host, model, workspace, longest);
    const startedAt = performance.now();
    for (let place = 0; place < tasks; place += 1) {
      await wait(Math.max(0, startedAt + (place * rampMs) / tasks - performance.now()));
      soak.#places.push(soak.#fill());
    }
    return soak;
  }

  /** Measure a period. */
  async hold(ms: number): Promise<Held> {
    const [completed, chars] = [this.#completed, this.#chars];
    const read = stopwatch();
    await wait(ms);
    const spent = read();
    return {
      ...spent,
      completed: this.#completed - completed,
      chars: this.#chars - chars,
      longestQueue: this.#longest.lines,
      bytes: await heldBytes(),
    };
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    // Runs of tasks that are closed reject.
    const ended = Promise.allSettled(this.#places);
    await this.#host.closeAll();
    await ended;
  }

  async #fill(): Promise<void> {
    while (!this.#isStopped) {
      const task = await this.#host.create({ model: this.#model, workspace: this.#workspace });
      task.events$.subscribe(({ commit }) => {
        this.#chars += streamedChars(commit.log);
      });
      await task.run("Go.");
      this.#completed += 1;
      await task.close();
    }
  }
}
