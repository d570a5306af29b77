import { z } from "zod";
import {
  type BenchOptions,
  type BenchResult,
  formatNumber,
  limited,
  median,
  Timing,
  withChild,
} from "../harness/index.ts";

const SIZES = {
  full: { events: 1_000_000, runs: 5, chars: 100_000, minutes: 10 },
  quick: { events: 300_000, runs: 3, chars: 50_000, minutes: 10 },
  tiny: { events: 2_000, runs: 1, chars: 2_000, minutes: 0.1 },
} as const;

/** 100,000 events a second. */
const EVENT_LIMIT_US = 10;
/** Maximum cost of ten times the text: linear, with a tolerance of 10 %. */
const TEN_TIMES_LIMIT = 11;
/** In addition to the text, which the log holds anyway: about 60 bytes per delta. */
const HELD_LIMIT_MB = 4;

const Slow = z.object({
  heldBytes: z.number(),
  textChars: z.number(),
  waiting: z.number(),
  lost: z.number(),
});

/** NDJSON events: their rate, the cost by length of text, and the memory held for a slow reader. */
export async function ndjson({ size }: BenchOptions): Promise<readonly BenchResult[]> {
  const { events, runs, chars, minutes } = SIZES[size];
  return withChild(
    "ndjson",
    async (child) => {
      const each = { messages: [] as number[], deltas: [] as number[] };
      const delta = { short: [] as number[], long: [] as number[] };
      const stream = { short: [] as number[], long: [] as number[] };
      // The first round is not counted: it includes compiling the code.
      for (let run = -1; run < runs; run += 1) {
        const perEvent = async (command: string): Promise<number> =>
          ((await child.call(command, { events }, Timing)).cpuMs * 1000) / events;
        const cpuOf = async (command: string, of: number): Promise<number> =>
          (await child.call(command, { chars: of }, Timing)).cpuMs;
        const figures = [
          [each.messages, await perEvent("messages")],
          [each.deltas, await perEvent("deltas")],
          // Both are too long for the CPU cache, which would favour the shorter one.
          [delta.short, await cpuOf("delta", 4 * chars)],
          [delta.long, await cpuOf("delta", 40 * chars)],
          [stream.short, await cpuOf("stream", 10 * chars)],
          [stream.long, await cpuOf("stream", 100 * chars)],
        ] as const;
        if (run >= 0) for (const [values, value] of figures) values.push(value);
      }
      const slow = await child.call("slow-reader", { minutes }, Slow);
      if (slow.lost > 0) throw new Error(`${slow.lost} characters were lost by the emitter.`);
      const medians = `medians of ${runs} runs`;
      const ratio = (name: string, { short: less, long: more }: typeof delta): BenchResult =>
        limited(
          name,
          median(more) / median(less),
          "x",
          TEN_TIMES_LIMIT,
          `${formatNumber(median(more))} against ${formatNumber(median(less))} ms; ${medians}`,
        );
      const rate = (us: number): string =>
        `${Math.round(1e6 / us).toLocaleString("en")} events/s of CPU; ${medians}`;
      return [
        limited(
          "CPU of an event as a line, whole messages",
          median(each.messages),
          "us",
          EVENT_LIMIT_US,
          rate(median(each.messages)),
        ),
        limited(
          "CPU of an event as a line, deltas",
          median(each.deltas),
          "us",
          EVENT_LIMIT_US,
          rate(median(each.deltas)),
        ),
        ratio("CPU of a delta between two texts, 10 times the text", delta),
        ratio("CPU of a text streamed in deltas, 10 times the text", stream),
        limited(
          `memory held for a slow reader, ${minutes} minutes of streaming`,
          slow.heldBytes / 1e6,
          "MB",
          HELD_LIMIT_MB,
          `beyond ${formatNumber(slow.textChars / 1000)} KB of text; at most ${slow.waiting} lines waited, nothing was lost`,
        ),
      ];
    },
    ["--expose-gc"],
  );
}
