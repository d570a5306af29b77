export { Child, withChild } from "./child.ts";
export { Cluster, hasPostgres } from "./cluster.ts";
export { Call, type Command, type Commands, command, Reply } from "./command.ts";
export { createFolders, withFolder } from "./folders.ts";
export { machine } from "./machine.ts";
export { heldBytes, measure, stopwatch, Timing } from "./measure.ts";
export { withMocks } from "./mock.ts";
export { formatNumber, formatSpread, median, quantile, sum } from "./numbers.ts";
export { builtFile, commandLine, importing, processCpuMs, runProcess } from "./process-cost.ts";
export {
  type BenchOptions,
  type BenchResult,
  limited,
  reference,
  type Size,
  table,
} from "./results.ts";
export { ROOT } from "./root.ts";
export { streamedChars } from "./streamed-text.ts";
