import { cpus, loadavg, totalmem } from "node:os";

/** Format the test machine: processor, cores, memory, system, Node version, current load. */
export function machine(): string {
  const [first] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const [load = 0] = loadavg();
  return [
    first?.model.trim() || "unknown processor",
    `${cpus().length} cores`,
    memory,
    `${process.platform} ${process.arch}`,
    `node ${process.version}`,
    `load ${load.toFixed(2)} at the start`,
  ].join(", ");
}
