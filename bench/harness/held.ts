import { setImmediate as soon } from "node:timers/promises";

/** Bytes that are really held. The process needs `node --expose-gc`. */
export async function held(): Promise<number> {
  if (globalThis.gc === undefined)
    throw new Error("The memory can't be measured: expected node --expose-gc.");
  for (let time = 0; time < 4; time += 1) {
    await soon();
    globalThis.gc();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
