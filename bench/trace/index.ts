import { z } from "zod";
import { type BenchOptions, inChild, inFolder, median, type Row, short, told } from "../harness/index.ts";

const SIZES = {
  full: { events: 100_000, places: 20_000, turns: 100, runs: 7 },
  quick: { events: 100_000, places: 5_000, turns: 50, runs: 3 },
  tiny: { events: 200, places: 20, turns: 2, runs: 1 },
} as const;

const Opened = z.object({ openMs: z.number(), bytes: z.number(), scrubMs: z.number() });
const Lived = z.object({ cpuMs: z.number(), events: z.number() });

/** What it costs to read a long trace, to go to and fro in it, and to have one of a task that runs. */
export async function trace({ size }: BenchOptions): Promise<readonly Row[]> {
  const { events, places, turns, runs } = SIZES[size];
  const opened: z.infer<typeof Opened>[] = [];
  for (let run = 0; run < runs; run += 1)
    opened.push(await inChild("trace", (child) => child.call("open", { events, places }, Opened)));
  const spent = await inFolder((folder) =>
    inChild("trace", async (child) => {
      const live = (how: string) => child.call("live", { folder, turns, how }, Lived);
      // The first ones are of cold code.
      for (const how of ["off", "trace", "inspect"]) await live(how);
      const all: Record<"off" | "trace" | "inspect", number[]> = { off: [], trace: [], inspect: [] };
      for (let run = 0; run < runs; run += 1) {
        all.off.push((await live("off")).cpuMs);
        all.trace.push((await live("trace")).cpuMs);
        all.inspect.push((await live("inspect")).cpuMs);
      }
      return { off: median(all.off), trace: median(all.trace), inspect: median(all.inspect) };
    }),
  );
  const of = (key: keyof z.infer<typeof Opened>): number => median(opened.map((each) => each[key]));
  return [
    told(
      `open a trace of ${events} events from its lines`,
      of("openMs"),
      "ms",
      `${short(of("bytes") / 1e6)} MB kept`,
    ),
    told(
      "moments a second, here and there",
      (places / of("scrubMs")) * 1000,
      "a second",
      `of ${events} events`,
    ),
    told(
      `a task of ${turns} turns with its live trace`,
      spent.trace / spent.off,
      "x",
      `${short(spent.off)} ms without`,
    ),
    told(
      `a task of ${turns} turns, inspected, with its live trace`,
      spent.inspect / spent.off,
      "x",
      `${short(spent.inspect)} ms, with a model that answers at once`,
    ),
  ];
}
