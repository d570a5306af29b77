import { z } from "zod";
import {
  type BenchOptions,
  type BenchResult,
  formatNumber,
  limited,
  median,
  reference,
  withChild,
  withFolder,
} from "../harness/index.ts";

const SIZES = {
  full: { lengths: [1_000, 10_000, 100_000], runs: 7, batches: 1_000 },
  quick: { lengths: [1_000, 10_000, 100_000], runs: 3, batches: 300 },
  tiny: { lengths: [50, 100, 200], runs: 1, batches: 50 },
} as const;

const OPEN_LIMIT_MS = 1_000;
const MEMORY_LIMIT = 3;
/** Maximum time of the engine, relative to the disk alone. */
const DURABLE_LIMIT = 2;

/** The cost of opening a long task and of durable commits. */
export async function recovery({ size }: BenchOptions): Promise<readonly BenchResult[]> {
  const { lengths, runs, batches } = SIZES[size];
  const opened: Opened[] = [];
  for (const length of lengths) opened.push(await open(length, runs));
  return [...openResults(opened), ...(await durableResults(batches))];
}

interface Opened {
  readonly messages: number;
  readonly bytes: number;
  readonly wallMs: readonly number[];
  readonly cpuMs: readonly number[];
  /** Bytes by which the process grew at its peak. */
  readonly peak: readonly number[];
  readonly kept: readonly number[];
}

const Opening = z.object({
  wallMs: z.number(),
  cpuMs: z.number(),
  messages: z.number(),
  peak: z.number(),
  kept: z.number(),
});

function open(messages: number, runs: number): Promise<Opened> {
  return withFolder(async (folder) => {
    const bytes = await withChild("recovery", (child) =>
      child.call("write", { folder, messages }, z.number()),
    );
    const openings: z.infer<typeof Opening>[] = [];
    for (let run = 0; run < runs; run += 1) {
      const opening = await withChild("recovery", (child) => child.call("open", { folder }, Opening), [
        "--expose-gc",
      ]);
      // The resume ask is one more.
      if (opening.messages !== messages + 1)
        throw new Error(`The task was opened with ${opening.messages} messages.`);
      openings.push(opening);
    }
    return {
      messages,
      bytes,
      wallMs: openings.map(({ wallMs }) => wallMs),
      cpuMs: openings.map(({ cpuMs }) => cpuMs),
      peak: openings.map(({ peak }) => peak),
      kept: openings.map(({ kept }) => kept),
    };
  });
}

function openResults(opened: readonly Opened[]): readonly BenchResult[] {
  const [short0, middle, long] = opened;
  if (short0 === undefined || middle === undefined || long === undefined) return [];
  const best = (of: Opened): number => Math.min(...of.wallMs);
  const perMessage = (from: Opened, to: Opened): number =>
    (median(to.cpuMs) - median(from.cpuMs)) / (to.messages - from.messages);
  const { slope, base, fit } = line(opened.map((each) => ({ x: each.messages, y: median(each.cpuMs) })));
  const times = opened.map((each) => `${each.messages}: ${formatNumber(best(each))} ms`).join(", ");
  const mb = formatNumber(long.bytes / 1e6);
  return [
    limited(
      `opening a task of ${long.messages} messages of 300 bytes`,
      best(long),
      "ms",
      OPEN_LIMIT_MS,
      `the best of ${long.wallMs.length} processes, each opens one; median ${formatNumber(median(long.wallMs))} ms, ${formatNumber(median(long.cpuMs))} ms of CPU; journal of ${mb} MB`,
    ),
    limited(
      `a message's share in opening, ${long.messages} : ${middle.messages} messages`,
      perMessage(middle, long) / Math.max(perMessage(short0, middle), 1e-9),
      "x",
      2,
      `${times}; CPU ${formatNumber(base)} ms + ${formatNumber(slope * 1000)} us a message, r2 ${fit.toFixed(4)}`,
    ),
    limited(
      `memory to open ${long.messages} messages : size of the journal`,
      median(long.peak) / long.bytes,
      "x",
      MEMORY_LIMIT,
      `growth of the process at its peak; ${formatNumber(median(long.kept) / long.bytes)} x is kept`,
    ),
  ];
}

/** Linear regression, with the coefficient of determination. */
function line(points: readonly { readonly x: number; readonly y: number }[]) {
  const mean = (of: (point: { x: number; y: number }) => number): number =>
    points.reduce((total, point) => total + of(point), 0) / points.length;
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)];
  const slope = mean((point) => (point.x - x) * (point.y - y)) / mean((point) => (point.x - x) ** 2);
  const base = y - slope * x;
  const residual = mean((point) => (point.y - base - slope * point.x) ** 2);
  return { slope, base, fit: 1 - residual / mean((point) => (point.y - y) ** 2) };
}

const Taken = z.object({ engine: z.number(), plain: z.number(), bytes: z.number() });

/** Batch sizes: a single commit, the commits of one turn of the event loop, and a burst. */
const BATCHES = [1, 10, 100] as const;

async function durableResults(batches: number): Promise<readonly BenchResult[]> {
  const results: BenchResult[] = [];
  for (const size of BATCHES) {
    const taken = await withFolder((folder) =>
      withChild("recovery", (child) => child.call("throughput", { folder, batches, size }, Taken)),
    );
    const { engine, plain, bytes } = taken;
    const rate = (ms: number): string => `${formatNumber((batches * size) / ms)}k records/s`;
    const name = `durable commits, ${size} a batch : plain writes and fdatasync`;
    const detail = `${rate(engine)} against ${rate(plain)}, the same ${formatNumber(bytes / 1e6)} MB in the same ${batches} batches`;
    results.push(
      size === 10
        ? limited(name, engine / plain, "x", DURABLE_LIMIT, detail)
        : reference(name, engine / plain, "x", detail),
    );
  }
  return results;
}
