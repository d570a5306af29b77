import path from "node:path";
import { z } from "zod";
import {
  type BenchOptions,
  type BenchResult,
  formatNumber,
  formatSpread,
  limited,
  median,
  quantile,
  reference,
  Timing,
  withChild,
  withFolder,
  withMocks,
} from "../harness/index.ts";

const SIZES = {
  full: {
    deltas: [20_000, 200_000],
    runs: 10,
    streams: 100,
    paceRuns: 3,
    rampMs: 3_000,
    windowMs: 5_000,
    blocks: 100,
  },
  quick: {
    deltas: [50_000],
    runs: 3,
    streams: 100,
    paceRuns: 1,
    rampMs: 3_000,
    windowMs: 4_000,
    blocks: 40,
  },
  tiny: { deltas: [200], runs: 1, streams: 2, paceRuns: 1, rampMs: 50, windowMs: 100, blocks: 2 },
} as const;

const PIECE = "word ";
const DELAY_MS = 10;
/** Text deltas of a block whose latency is measured. */
const BLOCK_DELTAS = 30;
/** One frame of a display of 60 Hz. */
const FRAME_MS = 16.7;
/** Clearly below a frame. It includes the sync of the new message. */
const FIRST_MS = 5;
const Read = Timing.extend({ chars: z.number() });
type Read = z.infer<typeof Read>;
type Kind = "engine" | "raw";

/** A response of this many deltas that completes the task. */
export const responseOf = (deltas: number, delayMs: number) => [
  [
    { text: { repeat: PIECE, times: deltas }, delayMs },
    { tool: "attempt_completion", input: { result: "Done." } },
  ],
];

/** A response of this many text blocks at the pace of a model. */
const blocksOf = (count: number) => [
  [
    ...Array.from({ length: count }, () => ({
      text: { repeat: PIECE, times: BLOCK_DELTAS },
      delayMs: DELAY_MS,
    })),
    { tool: "attempt_completion", input: { result: "Done." } },
  ],
];

/** The cost of a delta through the whole engine, relative to the SDK's own stream, and its latency. */
export async function streaming({ size }: BenchOptions): Promise<readonly BenchResult[]> {
  const sizes = SIZES[size];
  const paced = Math.ceil((4 * (sizes.rampMs + sizes.windowMs)) / DELAY_MS);
  const fast = sizes.deltas.map((deltas) => [String(deltas), responseOf(deltas, 0)]);
  const scripts = {
    ...Object.fromEntries(fast),
    paced: responseOf(paced, DELAY_MS),
    blocks: blocksOf(sizes.blocks),
  };
  return withMocks(scripts, (urlOf) =>
    withFolder(async (folder) => {
      const results: BenchResult[] = [];
      for (const deltas of sizes.deltas)
        results.push(...(await atFullSpeed(deltas, sizes.runs, urlOf(String(deltas)), folder)));
      results.push(...(await atPace(sizes, urlOf("paced"), folder)));
      return [...results, ...(await latency(sizes.blocks, urlOf("blocks"), folder))];
    }),
  );
}

interface Sizes {
  readonly streams: number;
  readonly paceRuns: number;
  readonly rampMs: number;
  readonly windowMs: number;
}

async function atFullSpeed(
  deltas: number,
  runs: number,
  url: string,
  folder: string,
): Promise<readonly BenchResult[]> {
  const cpu: Record<Kind, number[]> = { engine: [], raw: [] };
  for (let run = 0; run < runs; run += 1) {
    // Each is first equally often.
    for (const kind of run % 2 === 0 ? (["raw", "engine"] as const) : (["engine", "raw"] as const)) {
      const args = { kind, url, folder: path.join(folder, `read-${deltas}-${run}`) };
      const { cpuMs, chars } = await withChild("streaming", (child) => child.call("read", args, Read));
      if (chars !== deltas * PIECE.length)
        throw new Error(`The ${kind} side read ${chars} characters: expected ${deltas * PIECE.length}.`);
      cpu[kind].push((cpuMs * 1000) / deltas);
    }
  }
  const ratio = median(cpu.engine) / median(cpu.raw);
  const detail = `${formatNumber(median(cpu.engine))} against ${formatNumber(median(cpu.raw))} us; medians of ${runs} interleaved runs`;
  return [
    limited(`CPU of a delta of ${deltas}, engine : raw SDK`, ratio, "x", 1.1, detail),
    reference(`CPU of a delta of ${deltas}, engine`, median(cpu.engine), "us", formatSpread(cpu.engine)),
    reference(`CPU of a delta of ${deltas}, raw SDK`, median(cpu.raw), "us", formatSpread(cpu.raw)),
  ];
}

async function atPace(sizes: Sizes, url: string, folder: string): Promise<readonly BenchResult[]> {
  const { streams, paceRuns, rampMs, windowMs } = sizes;
  const taken: Record<Kind, Read[]> = { engine: [], raw: [] };
  for (let run = 0; run < paceRuns; run += 1) {
    for (const kind of run % 2 === 0 ? (["raw", "engine"] as const) : (["engine", "raw"] as const)) {
      const args = { kind, url, folder: path.join(folder, `pace-${run}`), streams, rampMs, windowMs };
      taken[kind].push(await withChild("streaming", (child) => child.call("pace", args, Read)));
    }
  }
  const share = (kind: Kind): number =>
    median(taken[kind].map(({ cpuMs, wallMs }) => (cpuMs / wallMs) * 100));
  const detail = (kind: Kind): string => {
    const rate = median(taken[kind].map(({ chars, wallMs }) => chars / PIECE.length / (wallMs / 1000)));
    return `${formatNumber(rate)} of ${formatNumber((streams * 1000) / DELAY_MS)} deltas/s received; medians of ${paceRuns} interleaved runs`;
  };
  const [ours, theirs] = [share("engine"), share("raw")];
  const both = `${formatNumber(ours)} against ${formatNumber(theirs)} % of a core; ${detail("engine")}`;
  return [
    limited(
      `CPU of ${streams} streams at 100 deltas/s each, engine : raw SDK`,
      ours / theirs,
      "x",
      0.9,
      both,
    ),
    reference("the same, raw SDK", theirs, "% of a core", detail("raw")),
  ];
}

/** The latency of a text delta, from the socket to a subscriber. */
async function latency(blocks: number, url: string, folder: string): Promise<readonly BenchResult[]> {
  const args = { url, folder: path.join(folder, "latency"), deltaChars: PIECE.length };
  const ms = await withChild("streaming", (child) => child.call("latencies", args, z.array(z.number())));
  const expected = blocks * BLOCK_DELTAS;
  if (ms.length !== expected) throw new Error(`${ms.length} deltas were shown: expected ${expected}.`);
  const first = ms.filter((_, delta) => delta % BLOCK_DELTAS === 0);
  const detail = (values: readonly number[]): string =>
    `median of ${values.length}; p99 ${formatNumber(quantile(values, 0.99))} ms, longest ${formatNumber(Math.max(...values))} ms`;
  return [
    limited("text delta from socket to subscriber, at 100 deltas/s", median(ms), "ms", FRAME_MS, detail(ms)),
    limited("the same, first delta of a block", median(first), "ms", FIRST_MS, detail(first)),
  ];
}
