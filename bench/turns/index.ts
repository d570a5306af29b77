import path from "node:path";
import { z } from "zod";
import {
  type BenchOptions,
  type BenchResult,
  formatNumber,
  limited,
  median,
  sum,
  Timing,
  withChild,
  withFolder,
  withMocks,
} from "../harness/index.ts";

const SIZES = {
  full: { turns: 200, runs: 5, part: 50 },
  quick: { turns: 200, runs: 3, part: 50 },
  tiny: { turns: 8, runs: 1, part: 2 },
} as const;

const KINDS = ["raw", "engine"] as const;
type Kind = (typeof KINDS)[number];
type Run = readonly Timing[];

/** A script of turns with one small tool call each, and a last turn. */
const looping = (turns: number) => [
  ...Array.from({ length: turns }, (_, item) => [
    { text: `Now I note item ${item}, as requested.` },
    { tool: "note", input: { item } },
  ]),
  { tool: "attempt_completion", input: { result: "Done." } },
];

/** The cost of a turn, relative to a minimal hand-written loop. */
export async function turns({ size }: BenchOptions): Promise<readonly BenchResult[]> {
  const { turns: count, runs, part } = SIZES[size];
  const taken: Record<Kind, Run[]> = { raw: [], engine: [] };
  await withMocks({ loop: looping(count) }, (urlOf) =>
    withFolder(async (folder) => {
      for (let run = 0; run < runs; run += 1) {
        for (const kind of run % 2 === 0 ? KINDS : KINDS.toReversed()) {
          const args = { url: urlOf("loop"), folder: path.join(folder, `${kind}-${run}`), turns: count };
          const laps = await withChild("turns", (child) => child.call(kind, args, z.array(Timing)));
          if (laps.length !== count) throw new Error(`${kind} ran ${laps.length} turns: expected ${count}.`);
          taken[kind].push(laps);
        }
      }
    }),
  );
  const note = `medians of ${runs} interleaved runs of ${count} turns`;
  const compare = (name: string, limit: number, of: (spent: Timing) => number): BenchResult => {
    const [ours, theirs] = [perTurn(taken.engine, of), perTurn(taken.raw, of)];
    const detail = `${formatNumber(ours)} against ${formatNumber(theirs)} ms; ${note}`;
    return limited(`${name} of a turn, engine : hand-written loop`, ours / theirs, "x", limit, detail);
  };
  return [
    compare("CPU", 1.6, ({ cpuMs }) => cpuMs),
    compare("wall time", 1.5, ({ wallMs }) => wallMs),
    growth(taken, part),
  ];
}

function perTurn(runs: readonly Run[], of: (spent: Timing) => number): number {
  return median(runs.map((laps) => sum(laps.map(of)) / laps.length));
}

/** The growth of the engine's own cost, from the second to the last part of the turns. */
function growth(taken: Readonly<Record<Kind, readonly Run[]>>, part: number): BenchResult {
  const cpu = ({ cpuMs }: Timing): number => cpuMs;
  const within = (from: number, to?: number) => (laps: Run) => laps.slice(from, to);
  const excess = (cut: (laps: Run) => Run): number =>
    perTurn(taken.engine.map(cut), cpu) - perTurn(taken.raw.map(cut), cpu);
  const first = excess(within(part, 2 * part));
  const last = excess(within(-part));
  const detail = `CPU beyond the hand-written loop: ${formatNumber(last)} against ${formatNumber(first)} ms a turn; last ${part} turns against the second ${part}`;
  return limited("growth of the engine's own cost with turns", last / first, "x", 1.25, detail);
}
