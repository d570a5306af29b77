import { setTimeout as wait } from "node:timers/promises";
import type { ChatModel, ModelEvent } from "../../actors/index.ts";
import { createHost, type Host, openHistory, type Task } from "../../runtime/index.ts";
import { createServer, fileJournals, type Server } from "../../server/index.ts";
import { scriptedModel, scriptedToolCall } from "../../testing/scripted-model.ts";
import { createFolders, stopwatch } from "../harness/index.ts";

/** A streaming task on a server, and a reader of it. */
export class Followed {
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

  /** It says a word each millisecond, once it runs: each is an event. */
  static async open(folder: string, words: number): Promise<Followed> {
    const { workspace, dataDir } = await createFolders(folder);
    const host = createHost({ dataDir });
    const model = talker(words);
    const llm = { frameMs: 0, answerMaxChars: 1e9 };
    const server = await createServer({
      host,
      history: openHistory({ dataDir }),
      journal: fileJournals(dataDir),
      task: { model },
      workspace,
    });
    return new Followed(host, server, await host.create({ model, workspace, llm }));
  }

  get where(): { readonly url: string; readonly token: string } {
    return { url: `${this.#server.url}/api/tasks/${this.#task.id}/events`, token: this.#server.token };
  }

  async talk() {
    const spent = stopwatch();
    await this.#task.run("Talk.");
    await this.#task.flushed();
    return { ...spent(), events: this.#grown };
  }

  async close(): Promise<void> {
    await this.#host.closeAll();
    await this.#server.close();
  }
}

function talker(words: number): ChatModel {
  const end = scriptedModel(() => scriptedToolCall("attempt_completion", { result: "Said." }, "toolu_1"));
  return {
    id: "streaming",
    async *stream(request, signal): AsyncGenerator<ModelEvent> {
      const began = performance.now();
      for (let word = 0; word < words; word += 1) {
        // One that comes late is made up for.
        while (performance.now() - began < word) await wait(1);
        yield { type: "text.delta", text: `word ${word} ` };
        await new Promise((resolve) => setImmediate(resolve));
      }
      yield { type: "block.end" };
      yield* end.stream(request, signal);
    },
  };
}

/** Reads a stream to its end, and counts its events. */
export async function readAll({ url, token }: Followed["where"]): Promise<number> {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  if (answer.status !== 200 || answer.body === null) throw new Error(`${answer.status} of ${url}`);
  let events = 0;
  for await (const piece of answer.body)
    events += Buffer.from(piece).toString("latin1").split("\ndata:").length - 1;
  return events;
}
