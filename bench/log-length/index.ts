import { z } from "zod";
import {
  type BenchOptions,
  type BenchResult,
  type Child,
  formatNumber,
  limited,
  median,
  withChild,
} from "../harness/index.ts";

const SIZES = {
  full: { long: 100_000, times: 5_000, runs: 21 },
  quick: { long: 100_000, times: 4_000, runs: 9 },
  tiny: { long: 300, times: 40, runs: 1 },
} as const;

const SHORT = 100;
const LIMIT_US = 10;

/** The cost of a message at the end of a long log, relative to a short one. */
export async function logLength({ size }: BenchOptions): Promise<readonly BenchResult[]> {
  const { long, times, runs } = SIZES[size];
  return withChild("log-length", async (child) => {
    const logs = [
      await child.call("build", { messages: SHORT }, z.number()),
      await child.call("build", { messages: long }, z.number()),
    ] as const;
    const compare = (command: string, count: number) => compared(child, command, logs, count, runs);
    const grow = await compare("grow", times);
    const append = await compare("append", times / 4);
    const track = await compare("track", times);
    const detail = ([ofShort, ofLong]: Pair, unit: string): string =>
      `${formatNumber(ofLong)} against ${formatNumber(ofShort)} ${unit} of CPU; medians of ${runs} interleaved runs`;
    const lengths = `log of ${long} : ${SHORT} messages`;
    return [
      limited(`growing the last message, ${lengths}`, grow[1] / grow[0], "x", 3, detail(grow, "us")),
      limited(
        `appending and closing a message, ${lengths}`,
        append[1] / append[0],
        "x",
        3,
        detail(append, "us"),
      ),
      limited(`StateTracker at the tail, ${lengths}`, track[1] / track[0], "x", 1.5, detail(track, "ns")),
      limited(
        `growing the last of ${long} messages`,
        grow[1],
        "us",
        LIMIT_US,
        "the whole engine, journal in memory",
      ),
      limited(
        `appending or closing the last of ${long} messages`,
        append[1],
        "us",
        LIMIT_US,
        "the whole engine, journal in memory; each makes a record",
      ),
    ];
  });
}

type Pair = readonly [ofShort: number, ofLong: number];

async function compared(
  child: Child,
  command: string,
  [shortLog, longLog]: readonly [number, number],
  times: number,
  runs: number,
): Promise<Pair> {
  const [ofShort, ofLong]: [number[], number[]] = [[], []];
  // The first run is not counted: it includes compiling the code.
  for (let run = -1; run < runs; run += 1) {
    const one = await child.call(command, { index: shortLog, times }, z.number());
    const other = await child.call(command, { index: longLog, times }, z.number());
    if (run < 0) continue;
    ofShort.push(one);
    ofLong.push(other);
  }
  return [median(ofShort), median(ofLong)];
}
