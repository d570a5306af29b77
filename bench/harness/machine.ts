import { cpus, loadavg, totalmem } from "node:os";

/** What the figures were taken on: processor, cores, memory, system, version of Node, load as it is now. */
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
