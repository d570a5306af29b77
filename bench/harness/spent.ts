import { z } from "zod";

export const Spent = z.object({
  /** Of the whole process: user and system time, collector and compiler threads included. */
  cpuMs: z.number(),
  wallMs: z.number(),
});
export type Spent = z.infer<typeof Spent>;

/** Starts a clock; the function it gives tells what this process has spent since. */
export function stopwatch(): () => Spent {
  const cpu = process.cpuUsage();
  const wall = performance.now();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return { cpuMs: (user + system) / 1000, wallMs: performance.now() - wall };
  };
}

/** What `work` spends. */
export async function spentBy(work: () => Promise<void>): Promise<Spent> {
  const read = stopwatch();
  await work();
  return read();
}
