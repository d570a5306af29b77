import { setImmediate as soon } from "node:timers/promises";
import { z } from "zod";

export const Timing = z.object({
  /** CPU time of the whole process: user and system, including garbage collector and compiler threads. */
  cpuMs: z.number(),
  wallMs: z.number(),
});
export type Timing = z.infer<typeof Timing>;

/** Start measuring. The returned function reads the time since. */
export function stopwatch(): () => Timing {
  const cpu = process.cpuUsage();
  const wall = performance.now();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return { cpuMs: (user + system) / 1000, wallMs: performance.now() - wall };
  };
}

/** Measure the time that `work` takes. */
export async function measure(work: () => Promise<void>): Promise<Timing> {
  const read = stopwatch();
  await work();
  return read();
}

/** Bytes of live memory, after garbage collection. The process needs `node --expose-gc`. */
export async function heldBytes(): Promise<number> {
  if (globalThis.gc === undefined) throw new Error("Can't measure memory: run node with --expose-gc.");
  for (let time = 0; time < 4; time += 1) {
    await soon();
    globalThis.gc();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
