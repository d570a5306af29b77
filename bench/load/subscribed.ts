import { setTimeout as wait } from "node:timers/promises";
import type { ChatModel } from "../../ports/model.ts";
import { createHost, type Host } from "../../runtime/host.ts";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import { createServer, fileJournals, type Server } from "../../server/index.ts";
import { createFolders, heldBytes } from "../harness/index.ts";

/** Characters of a delta: with its event, less than one write to a subscriber. */
const PIECE_CHARS = 60_000;
/** In milliseconds: longer than a frame, which would join deltas. */
const EVERY_MS = 30;

export interface SubscribedOptions {
  readonly folder: string;
  readonly tasks: number;
  /** Deltas of each task. */
  readonly deltas: number;
}

/** Tasks behind a server that stream a text when it is asked for, for subscribers of each. */
export class Subscribed {
  readonly server: Server;
  readonly ids: readonly string[];
  readonly #host: Host;
  readonly #streamed: Promise<unknown>;
  readonly #start: () => void;

  private constructor(
    server: Server,
    host: Host,
    { ids, streamed, start }: { ids: readonly string[]; streamed: Promise<unknown>; start: () => void },
  ) {
    this.server = server;
    this.ids = ids;
    this.#host = host;
    this.#streamed = streamed;
    this.#start = start;
  }

  static async open({ folder, tasks, deltas }: SubscribedOptions): Promise<Subscribed> {
    const { workspace, dataDir } = await createFolders(folder);
    const host = createHost({ dataDir });
    let start = (): void => {};
    const started = new Promise<void>((resolve) => {
      start = resolve;
    });
    const ids: string[] = [];
    const streamed: Promise<void>[] = [];
    for (let number = 0; number < tasks; number += 1) {
      const { model, done } = streamingModel(deltas, started);
      const task = await host.create({ model, workspace });
      // It ends when the host is closed.
      task.run("Go.").catch(() => undefined);
      ids.push(task.id);
      streamed.push(done);
    }
    const server = await createServer({
      host,
      history: openHistory({ dataDir }),
      journal: fileJournals(dataDir),
      task: { model: streamingModel(0, started).model },
      workspace,
      bounds: { stallMs: 1e9 },
    });
    return new Subscribed(server, host, { ids, streamed: Promise.all(streamed), start });
  }

  /** Stream all texts. Returns the memory of the process after that. */
  async stream(): Promise<number> {
    this.#start();
    await this.#streamed;
    return heldBytes();
  }

  async close(): Promise<void> {
    await this.#host.closeAll();
    await this.server.close();
  }
}

/** A model that streams this many deltas, each a different text, and then waits until it is stopped. */
function streamingModel(deltas: number, started: Promise<void>): { model: ChatModel; done: Promise<void> } {
  let finish = (): void => {};
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const model: ChatModel = {
    id: "streaming",
    async *stream(_request, signal) {
      await started;
      for (let delta = 0; delta < deltas && !signal.aborted; delta += 1) {
        yield { type: "text.delta", text: `${delta} `.padEnd(PIECE_CHARS, "All work and no play. ") };
        await wait(EVERY_MS);
      }
      finish();
      await new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    },
  };
  return { model, done };
}
