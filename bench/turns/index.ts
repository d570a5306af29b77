import path from "node:path";
import { z } from "zod";
import {
  type BenchOptions,
  type BenchResult,
  formatNumber,
  limited,
  median,
  type Size,
  sum,
  Timing,
  withChild,
  withFolder,
  withMocks,
} from "../harness/index.ts";

interface Series {
  readonly turns: number;
  readonly runs: number;
}
/**
 * `part`: the turns whose cost is compared; `long`: a second series, whose growth is measured too; `condensed`: a task whose
 * conversation is condensed several times in each part.
 */
type Sizes = Series & {
  readonly part: number;
  readonly long?: Series;
  readonly condensed: { readonly turns: number; readonly part: number };
};

const SIZES: Readonly<Record<Size, Sizes>> = {
  full: {
    turns: 200,
    runs: 5,
    part: 50,
    long: { turns: 400, runs: 3 },
    condensed: { turns: 2_000, part: 400 },
  },
  quick: { turns: 200, runs: 3, part: 50, condensed: { turns: 1_200, part: 300 } },
  tiny: {
    turns: 8,
    runs: 1,
    part: 2,
    long: { turns: 16, runs: 1 },
    condensed: { turns: 200, part: 50 },
  },
};

/**
 * `raw`: a loop by hand with the engine's prompt, tools and environment. `bare`: one tool and a short prompt. `ungoverned`:
 * the engine with empty lists of hooks and policies, in a workspace without intents. `monitored`: with a control protocol whose
 * monitor is a function.
 */
const KINDS = ["raw", "bare", "ungoverned", "monitored", "engine"] as const;
type Kind = (typeof KINDS)[number];
type Run = readonly Timing[];
type Taken = Readonly<Record<Kind, readonly Run[]>>;

/** A script of turns with one small tool call each, and a last turn. */
export const looping = (turns: number) => [
  ...Array.from({ length: turns }, (_, item) => [
    { text: `Now I note item ${item}, as requested.` },
    { tool: "note", input: { item } },
  ]),
  { tool: "attempt_completion", input: { result: "Done." } },
];

/** Notes without an end, and summarizes the conversation when it is asked to. */
const ENDLESS = {
  rules: [
    { when: { user: "Write a summary that replaces" }, turns: [{ text: "Items were noted." }] },
    { when: { tool: "note" }, turns: [[{ text: "I note it." }, { tool: "note", input: { item: 1 } }]] },
  ],
  turns: [[{ text: "I note it." }, { tool: "note", input: { item: 1 } }]],
};

/** The cost of a turn, relative to hand-written loops, and its growth with the number of turns. */
export async function turns({ size }: BenchOptions): Promise<readonly BenchResult[]> {
  const { part, long, condensed, ...series } = SIZES[size];
  const taken = await take(KINDS, series);
  const grown = [growth(taken, series.turns, part)];
  if (long !== undefined) grown.push(growth(await take(["raw", "engine"], long), long.turns, part));
  const note = `medians of ${series.runs} interleaved runs of ${series.turns} turns`;
  const compare = (name: string, kind: Kind, limit: number, of: (spent: Timing) => number): BenchResult => {
    const [ours, theirs] = [perTurn(taken.engine, of), perTurn(taken[kind], of)];
    const detail = `${formatNumber(ours)} against ${formatNumber(theirs)} ms; ${note}`;
    return limited(name, ours / theirs, "x", limit, detail);
  };
  return [
    compare("CPU of a turn, engine : hand-written loop", "raw", 1.6, cpu),
    compare("wall time of a turn, engine : hand-written loop", "raw", 1.5, ({ wallMs }) => wallMs),
    compare("CPU of a turn, engine : bare loop", "bare", 2, cpu),
    offCost(taken, note),
    ...monitoredCost(taken, note),
    ...grown,
    await condensedGrowth(condensed),
    await telemetryShare(series.turns, perTurn(taken.engine, cpu)),
  ];
}

/** The cost of governance that is configured and off. */
function offCost({ ungoverned, engine }: Taken, note: string): BenchResult {
  const [off, without] = [perTurn(ungoverned, cpu), perTurn(engine, cpu)];
  const detail = `${formatNumber(off)} against ${formatNumber(without)} ms; ${note}`;
  return limited("CPU of a turn, hooks, intents and policies off : absent", off / without, "x", 1.1, detail);
}

/** The cost of a monitored call, in a turn without the model's own time. */
function monitoredCost({ monitored, engine }: Taken, note: string): readonly BenchResult[] {
  const compare = (name: string, of: (spent: Timing) => number): BenchResult => {
    const [ours, without] = [perTurn(monitored, of), perTurn(engine, of)];
    const detail = `${formatNumber(ours)} against ${formatNumber(without)} ms; ${note}`;
    return limited(`${name} of a turn, monitored : without a protocol`, ours / without, "x", 1.15, detail);
  };
  return [compare("CPU", cpu), compare("wall time", ({ wallMs }) => wallMs)];
}

/** The growth of the cost of a turn whose conversation is condensed again and again. */
async function condensedGrowth({ turns, part }: Sizes["condensed"]): Promise<BenchResult> {
  const laps = await withMocks({ endless: ENDLESS }, (urlOf) =>
    withFolder((folder) =>
      withChild("turns", (child) =>
        child.call("condensed", { url: urlOf("endless"), folder, turns }, z.array(Timing)),
      ),
    ),
  );
  const [first, last] = [laps.slice(part, 2 * part), laps.slice(-part)].map((run) => perTurn([run], cpu));
  if (first === undefined || last === undefined) throw new Error("Two parts were expected.");
  const detail = `CPU: ${formatNumber(last)} against ${formatNumber(first)} ms a turn; last ${part} turns against the second ${part}, window of 20,000 tokens`;
  return limited(
    `growth of a turn's cost in ${turns} turns that are condensed`,
    last / first,
    "x",
    1.25,
    detail,
  );
}

/** The share of a turn's CPU that telemetry takes where the program registers no SDK. */
async function telemetryShare(turns: number, turnMs: number): Promise<BenchResult> {
  const replays = await withMocks({ loop: looping(turns) }, (urlOf) =>
    withFolder((folder) =>
      withChild("turns", (child) =>
        child.call("telemetry", { url: urlOf("loop"), folder, turns }, z.array(Timing)),
      ),
    ),
  );
  const ours = median(replays.map(cpu)) / turns;
  const detail = `${formatNumber(1000 * ours)} us of ${formatNumber(turnMs)} ms; median of ${replays.length} replays of the commits of ${turns} turns`;
  return limited("CPU of telemetry without an SDK, of a turn", (100 * ours) / turnMs, "%", 1, detail);
}

/** Run the kinds alternately. */
async function take(kinds: readonly Kind[], { turns, runs }: Series): Promise<Taken> {
  const taken: Record<Kind, Run[]> = { raw: [], bare: [], ungoverned: [], monitored: [], engine: [] };
  await withMocks({ loop: looping(turns) }, (urlOf) =>
    withFolder(async (folder) => {
      for (let run = 0; run < runs; run += 1) {
        for (const kind of run % 2 === 0 ? kinds : kinds.toReversed()) {
          const args = { url: urlOf("loop"), folder: path.join(folder, `${kind}-${run}`), turns };
          const laps = await withChild("turns", (child) => child.call(kind, args, z.array(Timing)));
          if (laps.length !== turns) throw new Error(`${kind} ran ${laps.length} turns: expected ${turns}.`);
          taken[kind].push(laps);
        }
      }
    }),
  );
  return taken;
}

const cpu = ({ cpuMs }: Timing): number => cpuMs;

function perTurn(runs: readonly Run[], of: (spent: Timing) => number): number {
  return median(runs.map((laps) => sum(laps.map(of)) / laps.length));
}

/** The growth of the engine's own cost, from the second to the last part of the turns. */
function growth(taken: Taken, turns: number, part: number): BenchResult {
  const within = (from: number, to?: number) => (laps: Run) => laps.slice(from, to);
  const excess = (cut: (laps: Run) => Run): number =>
    perTurn(taken.engine.map(cut), cpu) - perTurn(taken.raw.map(cut), cpu);
  const first = excess(within(part, 2 * part));
  const last = excess(within(-part));
  const detail = `CPU beyond the hand-written loop: ${formatNumber(last)} against ${formatNumber(first)} ms a turn; last ${part} turns against the second ${part}`;
  return limited(`growth of the engine's own cost in ${turns} turns`, last / first, "x", 1.25, detail);
}
