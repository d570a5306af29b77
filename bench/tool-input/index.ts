import path from "node:path";
import { z } from "zod";
import {
  type BenchOptions,
  type BenchResult,
  type Child,
  formatNumber,
  limited,
  median,
  Timing,
  withChild,
  withFolder,
  withMocks,
} from "../harness/index.ts";

const SIZES = {
  full: { small: 100_000, fastRuns: 7, pacedRuns: 3 },
  quick: { small: 100_000, fastRuns: 3, pacedRuns: 1 },
  tiny: { small: 1_000, fastRuns: 1, pacedRuns: 1 },
} as const;

/** The length of the large input, relative to the small one. */
const TIMES = 10;
const LIMIT = 11;
const PIECE = "0123456789abcdefghijklmnopqrstuvwxyzABC\n";
/** 2,000 deltas a second. */
const PACE_MS = 0.5;

const Written = Timing.extend({
  shownBytes: z.number(),
  journaledBytes: z.number(),
  writtenBytes: z.number(),
});
type Written = z.infer<typeof Written>;
const LENGTHS = ["small", "large"] as const;
type Length = (typeof LENGTHS)[number];

/** A file of this many bytes, in deltas of this length. */
const writing = (bytes: number, delayMs: number) => [
  {
    tool: "write_to_file",
    input: { path: "file.txt", content: { repeat: PIECE, times: bytes / PIECE.length } },
    chunk: PIECE.length,
    delayMs,
  },
  { tool: "attempt_completion", input: { result: "Done." } },
];

/** The cost of ten times the tool input. */
export async function toolInput({ size }: BenchOptions): Promise<readonly BenchResult[]> {
  const { small, fastRuns, pacedRuns } = SIZES[size];
  const scripts = {
    "fast-small": writing(small, 0),
    "fast-large": writing(small * TIMES, 0),
    "paced-small": writing(small, PACE_MS),
    "paced-large": writing(small * TIMES, PACE_MS),
  };
  return withMocks(scripts, (urlOf) =>
    withFolder((folder) =>
      withChild("tool-input", async (child) => {
        const fast = { url: (length: Length) => urlOf(`fast-${length}`), folder: path.join(folder, "fast") };
        const paced = {
          url: (length: Length) => urlOf(`paced-${length}`),
          folder: path.join(folder, "paced"),
        };
        // The first runs include compiling the code, which would count for the short input and improve the ratio.
        await series(child, { ...fast, folder: path.join(folder, "warm") }, 2, small);
        return [
          ...resultsOf("at full speed", await series(child, fast, fastRuns, small)),
          ...resultsOf("at 2,000 deltas/s", await series(child, paced, pacedRuns, small)),
        ];
      }),
    ),
  );
}

type Series = Readonly<Record<Length, readonly Written[]>>;

async function series(
  child: Child,
  { url, folder }: { readonly url: (length: Length) => string; readonly folder: string },
  runs: number,
  small: number,
): Promise<Series> {
  const taken: Record<Length, Written[]> = { small: [], large: [] };
  for (let run = 0; run < runs; run += 1) {
    for (const length of LENGTHS) {
      const args = { url: url(length), folder: path.join(folder, `${length}-${run}`) };
      const written = await child.call("write", args, Written);
      const expected = length === "small" ? small : small * TIMES;
      if (written.writtenBytes !== expected)
        throw new Error(`The file has ${written.writtenBytes} bytes: expected ${expected}.`);
      taken[length].push(written);
    }
  }
  return taken;
}

function resultsOf(pace: string, { small, large }: Series): readonly BenchResult[] {
  const figures = [
    ["CPU", "ms", ({ cpuMs }: Written) => cpuMs],
    ["bytes shown", "KB", ({ shownBytes }: Written) => shownBytes / 1000],
    ["bytes journaled", "KB", ({ journaledBytes }: Written) => journaledBytes / 1000],
  ] as const;
  return figures.map(([name, unit, of]) => {
    const [ten, one] = [median(large.map(of)), median(small.map(of))];
    const detail = `${formatNumber(ten)} against ${formatNumber(one)} ${unit}; medians of ${small.length} interleaved runs`;
    return limited(`${name} of a tool input, 1 MB : 100 KB, ${pace}`, ten / one, "x", LIMIT, detail);
  });
}
