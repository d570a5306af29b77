import { z } from "zod";
import { type BenchOptions, inChild, inFolder, limited, median, type Row, short } from "../harness/index.ts";

const SIZES = {
  full: { tasks: 10_000, runs: 5 },
  quick: { tasks: 10_000, runs: 2 },
  tiny: { tasks: 30, runs: 1 },
} as const;

/** Milliseconds until 10,000 tasks are listed. */
const LIMIT_MS = 2_000;
const Listed = z.object({ tasks: z.number(), wallMs: z.number(), cpuMs: z.number() });

/** What a list of many tasks takes: once in a process, as the command does it, and again. */
export async function history({ size }: BenchOptions): Promise<readonly Row[]> {
  const { tasks, runs } = SIZES[size];
  return inFolder(async (folder) => {
    const bytes = await inChild("history", (child) => child.call("prepare", { folder, tasks }, z.number()));
    const first: number[] = [];
    const second: number[] = [];
    const cpu: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      await inChild("history", async (child) => {
        const once = await child.call("list", { folder }, Listed);
        const again = await child.call("list", { folder }, Listed);
        if (once.tasks !== tasks) throw new Error(`${once.tasks} of ${tasks} tasks were listed.`);
        first.push(once.wallMs);
        cpu.push(once.cpuMs);
        second.push(again.wallMs);
      });
    }
    const mean = `${short(bytes / tasks / 1000)} KB each on average`;
    return [
      limited(
        `list of ${tasks} tasks, first of a process`,
        median(first),
        "ms",
        LIMIT_MS,
        `${short(median(cpu))} ms of CPU; journals of ${mean}, in the system's page cache`,
      ),
      limited(
        `list of ${tasks} tasks, second of a process`,
        median(second),
        "ms",
        LIMIT_MS,
        "nothing is kept between the two",
      ),
    ];
  });
}
