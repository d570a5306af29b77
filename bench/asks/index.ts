import path from "node:path";
import { z } from "zod";
import {
  type BenchOptions,
  type BenchResult,
  formatNumber,
  limited,
  median,
  quantile,
  reference,
  withChild,
  withFolder,
} from "../harness/index.ts";

const SIZES = {
  full: { asks: 1_000, dead: 20, unresponsive: 3 },
  quick: { asks: 200, dead: 5, unresponsive: 1 },
  tiny: { asks: 3, dead: 1, unresponsive: 1 },
} as const;

const Numbers = z.array(z.number());

/** Latency from an answer to its effect, and from a cancel until the task settles. */
export async function asks({ size }: BenchOptions): Promise<readonly BenchResult[]> {
  const sizes = SIZES[size];
  return withFolder((folder) =>
    withChild("asks", async (child) => {
      const call = <T extends z.ZodType>(name: string, times: number, schema: T) =>
        child.call(name, { folder: path.join(folder, name), times }, schema);
      const bare = await call("sync", sizes.asks, Numbers);
      const { ms, syncs } = await call("answer", sizes.asks, z.object({ ms: Numbers, syncs: Numbers }));
      if (ms.length !== sizes.asks) throw new Error(`${ms.length} tools started: expected ${sizes.asks}.`);
      const dead = await call("cancel-dead", sizes.dead, Numbers);
      const trees = await call("cancel-tree", sizes.dead, Numbers);
      const unresponsive = await call(
        "cancel-unresponsive",
        sizes.unresponsive,
        z.array(z.object({ settledMs: z.number(), goneMs: z.number() })),
      );
      const settledMs = unresponsive.map((end) => end.settledMs);
      return [
        limited("answer of an ask to start of its tool, p99", quantile(ms, 0.99), "ms", 2, times(ms)),
        limited(
          "syncs between an answer and its tool",
          Math.max(...syncs),
          "syncs",
          1,
          `at most; at least ${Math.min(...syncs)}`,
        ),
        reference("a bare write and fdatasync, p99", quantile(bare, 0.99), "ms", times(bare)),
        limited(
          "cancel to settled, dead endpoint",
          Math.max(...dead),
          "ms",
          50,
          `the longest; ${times(dead)}`,
        ),
        limited(
          "cancel of a root to settled, all of 3 descendants",
          Math.max(...trees),
          "ms",
          50,
          `the longest; ${times(trees)}`,
        ),
        limited(
          "cancel to settled, unresponsive command",
          Math.max(...settledMs),
          "ms",
          50,
          `the longest; ${times(settledMs)}`,
        ),
        limited(
          "cancel to the end of an unresponsive command's tree",
          Math.max(...unresponsive.map(({ goneMs }) => goneMs)) / 1000,
          "s",
          5,
          `the longest of ${unresponsive.length}`,
        ),
      ];
    }),
  );
}

function times(ms: readonly number[]): string {
  return `median ${formatNumber(median(ms))} ms, longest ${formatNumber(Math.max(...ms))} ms, of ${ms.length}`;
}
