import { setTimeout as delay } from "node:timers/promises";
import Anthropic from "@anthropic-ai/sdk";
import { z } from "zod";
import { anthropic } from "../../adapters/index.ts";
import { createHost } from "../../runtime/host.ts";
import type { Task } from "../../runtime/task/task.ts";
import {
  type Commands,
  command,
  createFolders,
  measure,
  stopwatch,
  streamedChars,
} from "../harness/index.ts";
import { latencies } from "./latency.ts";

const MODEL = "bench-model";
const Side = z.object({ kind: z.enum(["engine", "raw"]), url: z.string(), folder: z.string() });
type Side = z.infer<typeof Side>;

/** One side at a time in this process: the characters that arrived as text, and its end. */
interface Stream {
  readonly done: Promise<void>;
  readonly chars: () => number;
  readonly stop: () => void;
}

/** The whole engine: host, task, gate, file journal, and a client that reads every commit. */
async function engineStream(url: string, folder: string): Promise<Stream> {
  const { workspace, dataDir } = await createFolders(folder);
  const host = createHost({ dataDir });
  const model = anthropic({ model: MODEL, apiKey: "bench", baseURL: url });
  const task = await host.create({ model, workspace });
  return {
    done: task.run("Go.").then(() => host.closeAll()),
    chars: countChars(task),
    stop: () => task.cancel(),
  };
}

function countChars(task: Task): () => number {
  let chars = 0;
  task.events$.subscribe(({ commit }) => {
    chars += streamedChars(commit.log);
  });
  return () => chars;
}

/** The SDK's own stream, read in one loop. */
function rawStream(url: string): Stream {
  let chars = 0;
  const stop = new AbortController();
  const read = async (): Promise<void> => {
    const client = new Anthropic({ apiKey: "bench", baseURL: url, maxRetries: 0, logLevel: "off" });
    const events = await client.messages.create(
      { model: MODEL, max_tokens: 16_384, messages: [{ role: "user", content: "Go." }], stream: true },
      { signal: stop.signal },
    );
    for await (const event of events) {
      if (event.type === "content_block_delta" && event.delta.type === "text_delta")
        chars += event.delta.text.length;
    }
  };
  return { done: read(), chars: () => chars, stop: () => stop.abort() };
}

const open = async ({ kind, url, folder }: Side): Promise<Stream> =>
  kind === "engine" ? await engineStream(url, folder) : rawStream(url);

export const commands: Commands = {
  /** Read one response to its end. */
  read: command(Side, async (side) => {
    let chars = 0;
    const spent = await measure(async () => {
      const stream = await open(side);
      await stream.done;
      chars = stream.chars();
    });
    return { ...spent, chars };
  }),
  /** Stream many responses concurrently, and measure a period in between. */
  pace: command(
    Side.extend({ streams: z.number(), rampMs: z.number(), windowMs: z.number() }),
    async ({ streams, rampMs, windowMs, ...side }) => {
      const opened = await Promise.all(Array.from({ length: streams }, () => open(side)));
      const chars = (): number => opened.reduce((total, stream) => total + stream.chars(), 0);
      await delay(rampMs);
      const before = chars();
      const read = stopwatch();
      await delay(windowMs);
      const spent = read();
      const received = chars() - before;
      for (const stream of opened) stream.stop();
      await Promise.allSettled(opened.map(({ done }) => done));
      return { ...spent, chars: received };
    },
  ),
  /** The latency of each text delta of one response, in milliseconds. */
  latencies: command(
    z.object({ url: z.string(), folder: z.string(), deltaChars: z.number() }),
    ({ url, folder, deltaChars }) => latencies({ model: MODEL, baseURL: url }, folder, deltaChars),
  ),
};
