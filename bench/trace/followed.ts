import { setTimeout as wait } from "node:timers/promises";
import type { ChatModel, ModelEvent } from "../../ports/model.ts";
import { createHost, type Host } from "../../runtime/host.ts";
import type { Task } from "../../runtime/task/task.ts";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import { createServer, fileJournals, type Server } from "../../server/index.ts";
import { scriptedModel, scriptedToolCall } from "../../testing/scripted-model.ts";
import { createFolders, stopwatch } from "../harness/index.ts";

/** A streaming task on a server. */
export class ServedTask {
  readonly #host: Host;
  readonly #server: Server;
  readonly #task: Task;
  #grown = 0;

  private constructor(host: Host, server: Server, task: Task) {
    this.#host = host;
    this.#server = server;
    this.#task = task;
    task.events$.subscribe(({ commit }) => {
      if (commit.log.some(({ type }) => type === "message.grown")) this.#grown += 1;
    });
  }

  /** Create the task. Once it runs, it streams one word each millisecond; each is an event. */
  static async open(folder: string, words: number): Promise<ServedTask> {
    const { workspace, dataDir } = await createFolders(folder);
    const host = createHost({ dataDir });
    const model = streamingModel(words);
    const llm = { frameMs: 0, answerMaxChars: 1e9 };
    const server = await createServer({
      host,
      history: openHistory({ dataDir }),
      journal: fileJournals(dataDir),
      task: { model },
      workspace,
    });
    return new ServedTask(host, server, await host.create({ model, workspace, llm }));
  }

  get endpoint(): { readonly url: string; readonly token: string } {
    return { url: `${this.#server.url}/api/tasks/${this.#task.id}/events`, token: this.#server.token };
  }

  async run() {
    const spent = stopwatch();
    await this.#task.run("Go.");
    await this.#task.flushed();
    return { ...spent(), events: this.#grown };
  }

  async close(): Promise<void> {
    await this.#host.closeAll();
    await this.#server.close();
  }
}

function streamingModel(words: number): ChatModel {
  const end = scriptedModel(() => scriptedToolCall("attempt_completion", { result: "Done." }, "toolu_1"));
  return {
    id: "streaming",
    async *stream(request, signal): AsyncGenerator<ModelEvent> {
      const began = performance.now();
      for (let word = 0; word < words; word += 1) {
        // A word that is late does not delay the next ones.
        while (performance.now() - began < word) await wait(1);
        yield { type: "text.delta", text: `word ${word} ` };
        await new Promise((resolve) => setImmediate(resolve));
      }
      yield { type: "block.end" };
      yield* end.stream(request, signal);
    },
  };
}

/** Read a stream to its end and count its events. */
export async function readAll({ url, token }: ServedTask["endpoint"]): Promise<number> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  if (response.status !== 200 || response.body === null) throw new Error(`${response.status} of ${url}`);
  let events = 0;
  for await (const chunk of response.body)
    events += Buffer.from(chunk).toString("latin1").split("\ndata:").length - 1;
  return events;
}
