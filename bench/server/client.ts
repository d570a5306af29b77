import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import type { ChatModel } from "../../ports/model.ts";
import { createHost, type Host } from "../../runtime/host.ts";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import { createServer, fileJournals, type Server } from "../../server/index.ts";
import { type Commands, command, createFolders, heldBytes, stopwatch } from "../harness/index.ts";

/** The interval of each task's deltas, in milliseconds. */
const EVERY_MS = 100;
/** How many streams are opened at the same time. */
const AT_ONCE = 50;

let host: Host | undefined;
let server: Server | undefined;
let received = 0;
const readers: AbortController[] = [];

/** Streams a few words at a time until it is stopped. */
const streamingModel: ChatModel = {
  id: "streaming",
  async *stream(_request, signal) {
    for (let word = 0; !signal.aborted; word += 1) {
      yield { type: "text.delta", text: `All work and no play, ${word}. ` };
      await wait(EVERY_MS);
    }
  },
};

/** Read a stream until it is aborted, and count its events. */
async function read(url: string, token: string): Promise<void> {
  const abort = new AbortController();
  readers.push(abort);
  const response = await fetch(url, { signal: abort.signal, headers: { authorization: `Bearer ${token}` } });
  if (response.status !== 200 || response.body === null) throw new Error(`${response.status} of ${url}`);
  const count = async (): Promise<void> => {
    for await (const chunk of response.body ?? [])
      received += Buffer.from(chunk).toString("latin1").split("\ndata:").length - 1;
  };
  // The read rejects when it is aborted.
  count().catch(() => undefined);
}

export const commands: Commands = {
  /** Serve this many streaming tasks. */
  serve: command(z.object({ folder: z.string(), tasks: z.number() }), async ({ folder, tasks }) => {
    const { workspace, dataDir } = await createFolders(folder);
    host = createHost({ dataDir });
    server = await createServer({
      host,
      history: openHistory({ dataDir }),
      journal: fileJournals(dataDir),
      task: { model: streamingModel, llm: { answerMaxChars: 1e9 } },
      workspace,
      // Full within seconds: then it grows no more.
      bounds: { liveEvents: 64 },
    });
    const ids: string[] = [];
    for (let number = 0; number < tasks; number += 1) {
      const task = await host.create({ model: streamingModel, workspace, llm: { answerMaxChars: 1e9 } });
      // It never ends by itself.
      task.run("Go.").catch(() => undefined);
      ids.push(task.id);
    }
    return { url: server.url, token: server.token, ids };
  }),
  /** Memory after this time, and the CPU time that was used in it. */
  hold: command(z.object({ ms: z.number() }), async ({ ms }) => {
    const spent = stopwatch();
    await wait(ms);
    return { ...spent(), bytes: await heldBytes(), streams: server?.streams ?? 0 };
  }),
  stop: command(z.object({}), async () => {
    await host?.closeAll();
    await server?.close();
  }),
  /** Read this many streams, distributed over the tasks. */
  read: command(
    z.object({ url: z.string(), token: z.string(), ids: z.array(z.string()), streams: z.number() }),
    async ({ url, token, ids, streams }) => {
      const all = Array.from({ length: streams }, (_, number) => ids[number % ids.length]);
      for (let from = 0; from < streams; from += AT_ONCE)
        await Promise.all(
          all.slice(from, from + AT_ONCE).map((id) => read(`${url}/api/tasks/${id}/events`, token)),
        );
    },
  ),
  /** The number of events that were received since the last call. */
  count: command(z.object({}), async () => {
    const count = received;
    received = 0;
    return count;
  }),
  leave: command(z.object({}), async () => {
    for (const reader of readers) reader.abort();
  }),
};
