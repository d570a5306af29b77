import path from "node:path";
import { z } from "zod";
import {
  type BenchOptions,
  type BenchResult,
  type Child,
  formatNumber,
  median,
  type Size,
  Timing,
  withChild,
  withFolder,
  withMocks,
} from "../harness/index.ts";
import { responseOf } from "../streaming/index.ts";
import { looping } from "../turns/index.ts";
import { medianInterval } from "./interval.ts";
import { withCompiled } from "./revision.ts";

/** Rounds of both sides; turns, deltas and tasks of a round. */
const SIZES: Readonly<Record<Size, Work & { readonly rounds: number }>> = {
  full: { rounds: 15, turns: 200, part: 50, deltas: 50_000, tasks: 1_000 },
  quick: { rounds: 7, turns: 120, part: 40, deltas: 20_000, tasks: 300 },
  tiny: { rounds: 2, turns: 8, part: 2, deltas: 200, tasks: 8 },
};

interface Work {
  readonly turns: number;
  /** The last turns, whose cost is compared. */
  readonly part: number;
  readonly deltas: number;
  readonly tasks: number;
}

/** The ratio above which no interval may lie. */
const LIMIT = 1.05;

/** A value of one side, measured in a process of its own once a round. */
interface Measure {
  readonly name: string;
  readonly unit: string;
  /** The module of the child process that has the command. */
  readonly role: string;
  readonly execArgv?: readonly string[];
  readonly take: (child: Child, at: At) => Promise<number>;
}

interface At {
  readonly urlOf: (script: "turns" | "deltas") => string;
  readonly folder: string;
}

const measuresOf = ({ turns, part, deltas, tasks }: Work): readonly Measure[] => [
  {
    name: "CPU of a turn",
    unit: "ms",
    role: "turns",
    take: async (child, { urlOf, folder }) => {
      const laps = await child.call("engine", { url: urlOf("turns"), folder, turns }, z.array(Timing));
      return median(laps.slice(-part).map(({ cpuMs }) => cpuMs));
    },
  },
  {
    name: "CPU of a delta",
    unit: "us",
    role: "streaming",
    take: async (child, { urlOf, folder }) => {
      const { cpuMs } = await child.call("read", { kind: "engine", url: urlOf("deltas"), folder }, Timing);
      return (cpuMs * 1000) / deltas;
    },
  },
  {
    name: "memory of a task at rest",
    unit: "bytes",
    role: "tasks",
    execArgv: ["--expose-gc"],
    take: async (child, { folder }) => {
      const args = { folder, tasks, warm: Math.ceil(tasks / 4) };
      return (await child.call("settle", args, z.object({ bytesPerTask: z.number() }))).bytesPerTask;
    },
  },
];

/**
 * Compare the sources with those of a commit. In each round both versions run in new processes, and they alternate in running
 * first. Each result is the median of the ratios of the rounds; the limit is missed if the whole 95 % interval of the median
 * lies above it. Both versions use the installed dependencies.
 */
export function compare(revision: string, { size }: BenchOptions): Promise<readonly BenchResult[]> {
  const { rounds, ...work } = SIZES[size];
  const scripts = { turns: looping(work.turns), deltas: responseOf(work.deltas, 0) };
  return withCompiled(revision, (entry) =>
    withMocks(scripts, async (urlOf) => {
      const results: BenchResult[] = [];
      for (const measure of measuresOf(work))
        results.push(resultOf(measure, revision, await take(measure, rounds, urlOf, entry)));
      return results;
    }),
  );
}

/** The values of both sides, by round. */
interface Taken {
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
}

async function take(measure: Measure, rounds: number, urlOf: At["urlOf"], entry: string): Promise<Taken> {
  const ours: number[] = [];
  const theirs: number[] = [];
  const sides = [
    { values: ours, entry: undefined },
    { values: theirs, entry },
  ];
  for (let round = 0; round < rounds; round += 1)
    for (const side of round % 2 === 0 ? sides : sides.toReversed())
      side.values.push(
        await withFolder((folder) =>
          withChild(
            measure.role,
            (child) => measure.take(child, { urlOf, folder: path.join(folder, "side") }),
            measure.execArgv,
            side.entry,
          ),
        ),
      );
  return { ours, theirs };
}

function resultOf({ name, unit }: Measure, revision: string, { ours, theirs }: Taken): BenchResult {
  const ratios = ours.map((value, round) => value / (theirs[round] ?? Number.NaN));
  const [low, high] = medianInterval(ratios);
  const both = `${formatNumber(median(ours))} against ${formatNumber(median(theirs))} ${unit}`;
  const detail = `${low.toFixed(2)} to ${high.toFixed(2)}; ${both}; ${ratios.length} rounds`;
  return {
    name: `${name}, now : ${revision}`,
    value: median(ratios),
    unit: "x",
    limit: LIMIT,
    ok: low <= LIMIT,
    detail,
  };
}
