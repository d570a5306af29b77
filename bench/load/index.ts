import path from "node:path";
import { z } from "zod";
import {
  type BenchOptions,
  type BenchResult,
  type Child,
  formatNumber,
  limited,
  median,
  reference,
  Timing,
  withChild,
  withFolder,
  withMocks,
} from "../harness/index.ts";

const SIZES = {
  full: { tasks: 1_000, seconds: 60, deltas: 60, delayMs: 500, runs: 5, subscribedDeltas: 100 },
  quick: { tasks: 1_000, seconds: 20, deltas: 60, delayMs: 500, runs: 1, subscribedDeltas: 100 },
  tiny: { tasks: 10, seconds: 1, deltas: 10, delayMs: 20, runs: 1, subscribedDeltas: 10 },
} as const;

/** Text of a delta. The response of a task is long beside the variation of memory between collections. */
const PIECE = "All work and no play makes Jack dull. ".repeat(4);
const SUBSCRIBERS = 10;
/** Characters of one write to a subscriber, the server's default. One is sent, the next is collected. */
const CHUNK_CHARS = 64 * 1024;
/** Memory of an open stream without its texts: the limit of the server's own bench. */
const STREAM_BYTES = 20_000;
/** Pairs of runs that load and compile code, and are not counted. */
const WARM_RUNS = 3;
/** The gate's default limit of waiting commits. */
const QUEUE_LIMIT = 1_000;

const Held = Timing.extend({
  bytes: z.number(),
  completed: z.number(),
  chars: z.number(),
  longestQueue: z.number(),
});
type Held = z.infer<typeof Held>;
const Serving = z.object({ url: z.string(), token: z.string(), ids: z.array(z.string()) });
const Nothing = z.undefined();

/** Memory and queues of many tasks that stream at once. `SIGNALBOX_BENCH_LOAD_S`: duration in seconds. */
export async function load({ size }: BenchOptions): Promise<readonly BenchResult[]> {
  const { tasks, seconds, deltas, delayMs, runs, subscribedDeltas } = SIZES[size];
  const ms = 1_000 * Number(process.env.SIGNALBOX_BENCH_LOAD_S ?? seconds);
  const response = [
    { text: { repeat: PIECE, times: deltas }, delayMs },
    { tool: "attempt_completion", input: { result: "Done." } },
  ];
  const soak = await withMocks({ load: [response] }, (urlOf) =>
    withFolder((folder) =>
      withChild(
        "load",
        async (child) => {
          // The first tasks have ended when the last ones start: from then on as many end as start.
          const rampMs = deltas * delayMs;
          await child.call("start", { url: urlOf("load"), folder, tasks, rampMs }, Nothing);
          const early = await child.call("hold", { ms: ms / 10 }, Held);
          const late = await child.call("hold", { ms: (ms * 9) / 10 }, Held);
          await child.call("stop", {}, Nothing);
          return { early, late };
        },
        ["--expose-gc"],
      ),
    ),
  );
  // In a process of their own: the memory of many tasks varies by more than a subscriber takes.
  const slow = await withFolder((folder) =>
    withChild("load", (child) => compareSubscribers(child, folder, runs, subscribedDeltas), ["--expose-gc"]),
  );
  const text = tasks * deltas * PIECE.length;
  return [...soakResults({ ...soak, tasks, text, rate: (tasks * 1_000) / delayMs }), slow];
}

interface Measured {
  readonly early: Held;
  readonly late: Held;
  readonly tasks: number;
  /** Characters of all running tasks at most. */
  readonly text: number;
  /** Deltas per second that the endpoint sends. */
  readonly rate: number;
}

function soakResults({ early, late, tasks, text, rate }: Measured): readonly BenchResult[] {
  const seconds = late.wallMs / 1_000;
  const megabytes = (bytes: number): string => `${formatNumber(bytes / 1e6)} MB`;
  return [
    limited(
      `growth of memory in ${formatNumber(seconds)} s, ${tasks} tasks that stream at once`,
      (late.bytes - early.bytes) / 1e6,
      "MB",
      text / 1e6,
      `from ${megabytes(early.bytes)} to ${megabytes(late.bytes)}; limit: the text of the running tasks; ${late.completed} tasks completed, each followed by a new one`,
    ),
    limited(
      "longest queue of commits for a journal",
      late.longestQueue,
      "commits",
      QUEUE_LIMIT,
      "the most that one write of a journal took",
    ),
    reference(
      "CPU of those tasks, in percent of one core",
      (late.cpuMs / late.wallMs) * 100,
      "%",
      `${formatNumber(late.chars / PIECE.length / seconds)} of ${rate} deltas/s received`,
    ),
  ];
}

/** The memory of subscribers that read nothing. */
async function compareSubscribers(
  child: Child,
  folder: string,
  runs: number,
  deltas: number,
): Promise<BenchResult> {
  const without: number[] = [];
  const withSlow: number[] = [];
  let behind = 0;
  const measure = (name: string, readers?: Child) =>
    memoryOf(child, { folder: path.join(folder, name), deltas }, readers);
  const measureSlow = (name: string) => withChild("load", (readers) => measure(name, readers));
  for (let run = 0; run < WARM_RUNS; run += 1) {
    await measure(`warm-without-${run}`);
    await measureSlow(`warm-with-${run}`);
  }
  for (let run = 0; run < runs; run += 1) {
    without.push((await measure(`without-${run}`)).bytes);
    const slow = await measureSlow(`with-${run}`);
    withSlow.push(slow.bytes);
    behind += slow.behind;
  }
  const added = withSlow.map((bytes, run) => bytes - (without[run] ?? 0));
  return limited(
    `memory of ${SUBSCRIBERS} subscribers that read nothing`,
    median(added) / 1e6,
    "MB",
    (SUBSCRIBERS * (2 * CHUNK_CHARS + STREAM_BYTES)) / 1e6,
    `median of ${runs} runs with and without them; limit: their own buffers and streams; ${behind} of ${runs * SUBSCRIBERS} fell behind`,
  );
}

/** Memory after tasks have streamed to subscribers that read nothing, or to none. */
async function memoryOf(
  child: Child,
  options: { readonly folder: string; readonly deltas: number },
  readers?: Child,
): Promise<{ readonly bytes: number; readonly behind: number }> {
  const where = await child.call("open", { ...options, tasks: SUBSCRIBERS }, Serving);
  await readers?.call("subscribe", where, Nothing);
  const bytes = await child.call("stream", {}, z.number());
  const behind = readers?.call("read", {}, z.number());
  await child.call("close", {}, Nothing);
  return { bytes, behind: (await behind) ?? 0 };
}
