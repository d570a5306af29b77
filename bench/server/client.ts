import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import type { ChatModel } from "../../actors/index.ts";
import { createHost, type Host, openHistory } from "../../runtime/index.ts";
import { createServer, fileJournals, type Server } from "../../server/index.ts";
import { type Commands, command, createFolders, heldBytes, stopwatch } from "../harness/index.ts";

/** How often each task says something. */
const EVERY_MS = 100;
/** How many streams are opened at the same time. */
const AT_ONCE = 50;

let host: Host | undefined;
let server: Server | undefined;
let told = 0;
const readers: AbortController[] = [];

/** Streams a few words at a time until it is stopped. */
const talker: ChatModel = {
  id: "streaming",
  async *stream(_request, signal) {
    for (let word = 0; !signal.aborted; word += 1) {
      yield { type: "text.delta", text: `All work and no play, ${word}. ` };
      await wait(EVERY_MS);
    }
  },
};

/** Reads a stream to its end, and counts its events. */
async function read(url: string, token: string): Promise<void> {
  const abort = new AbortController();
  readers.push(abort);
  const answer = await fetch(url, { signal: abort.signal, headers: { authorization: `Bearer ${token}` } });
  if (answer.status !== 200 || answer.body === null) throw new Error(`${answer.status} of ${url}`);
  const count = async (): Promise<void> => {
    for await (const piece of answer.body ?? [])
      told += Buffer.from(piece).toString("latin1").split("\ndata:").length - 1;
  };
  // It ends as it is aborted.
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
      task: { model: talker, llm: { answerMaxChars: 1e9 } },
      workspace,
      // Full within seconds: then nothing of it grows any more.
      bounds: { liveEvents: 64 },
    });
    const ids: string[] = [];
    for (let number = 0; number < tasks; number += 1) {
      const task = await host.create({ model: talker, workspace, llm: { answerMaxChars: 1e9 } });
      // It never ends by itself.
      task.run("Talk.").catch(() => undefined);
      ids.push(task.id);
    }
    return { url: server.url, token: server.token, ids };
  }),
  /** What is held, after a while of so long, and what that took. */
  hold: command(z.object({ ms: z.number() }), async ({ ms }) => {
    const spent = stopwatch();
    await wait(ms);
    return { ...spent(), bytes: await heldBytes(), streams: server?.streams ?? 0 };
  }),
  stop: command(z.object({}), async () => {
    await host?.closeAll();
    await server?.close();
  }),
  /** Reads so many streams, spread over the tasks. */
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
  /** How many events came since this was asked last. */
  count: command(z.object({}), async () => {
    const count = told;
    told = 0;
    return count;
  }),
  leave: command(z.object({}), async () => {
    for (const reader of readers) reader.abort();
  }),
};
