import { z } from "zod";
import {
  type BenchOptions,
  type BenchResult,
  formatNumber,
  limited,
  median,
  withChild,
  withFolder,
} from "../harness/index.ts";

const SIZES = {
  full: { tasks: 10_000, runs: 5 },
  quick: { tasks: 10_000, runs: 2 },
  tiny: { tasks: 30, runs: 1 },
} as const;

/** Milliseconds of CPU for a list of 10,000 tasks. Where nothing else runs it takes as long. */
const LIMIT_MS = 2_000;
const Listed = z.object({ tasks: z.number(), wallMs: z.number(), cpuMs: z.number() });

/** The cost of listing many tasks: the first time in a process, like the command, and the second time. */
export async function history({ size }: BenchOptions): Promise<readonly BenchResult[]> {
  const { tasks, runs } = SIZES[size];
  return withFolder(async (folder) => {
    const bytes = await withChild("history", (child) => child.call("prepare", { folder, tasks }, z.number()));
    const first: number[] = [];
    const second: number[] = [];
    const wall: [number[], number[]] = [[], []];
    for (let run = 0; run < runs; run += 1) {
      await withChild("history", async (child) => {
        const once = await child.call("list", { folder }, Listed);
        const again = await child.call("list", { folder }, Listed);
        if (once.tasks !== tasks) throw new Error(`${once.tasks} of ${tasks} tasks were listed.`);
        first.push(once.cpuMs);
        second.push(again.cpuMs);
        wall[0].push(once.wallMs);
        wall[1].push(again.wallMs);
      });
    }
    const mean = `${formatNumber(bytes / tasks / 1000)} KB each on average`;
    return [
      limited(
        `CPU of a list of ${tasks} tasks, first of a process`,
        median(first),
        "ms",
        LIMIT_MS,
        `${formatNumber(median(wall[0]))} ms wall time; journals of ${mean}, in the system's page cache`,
      ),
      limited(
        `CPU of a list of ${tasks} tasks, second of a process`,
        median(second),
        "ms",
        LIMIT_MS,
        `${formatNumber(median(wall[1]))} ms wall time; nothing is kept between the two`,
      ),
    ];
  });
}
