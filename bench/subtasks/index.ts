import { z } from "zod";
import {
  type BenchOptions,
  type BenchResult,
  formatNumber,
  limited,
  withChild,
  withFolder,
} from "../harness/index.ts";

const SIZES = {
  full: { held: 1_000, cancelled: 100 },
  quick: { held: 200, cancelled: 50 },
  tiny: { held: 5, cancelled: 3 },
} as const;

const Held = z.object({ bytesPerTask: z.number(), idleCpuMs: z.number() });
const Cancelled = z.object({ stoppedMs: z.number(), restMs: z.number(), goneMs: z.number() });

/** Subtasks of one response that work at the same time. */
export async function subtasks({ size }: BenchOptions): Promise<readonly BenchResult[]> {
  const { held, cancelled } = SIZES[size];
  const { bytesPerTask, idleCpuMs } = await withFolder((folder) =>
    withChild("subtasks", (child) => child.call("hold", { folder, subtasks: held }, Held), ["--expose-gc"]),
  );
  const { stoppedMs, restMs, goneMs } = await withFolder((folder) =>
    withChild("subtasks", (child) => child.call("cancel", { folder, subtasks: cancelled }, Cancelled)),
  );
  return [
    limited(
      `memory of a subtask that streams, ${held} at once`,
      bytesPerTask / 1000,
      "KB",
      100,
      `${formatNumber(idleCpuMs)} ms of CPU in a second in which all of them wait for their models`,
    ),
    limited(
      `a cancel of ${cancelled} subtasks that run commands, until all effects are stopped`,
      stoppedMs,
      "ms",
      100,
      `all tasks rest, as their journals record, after ${formatNumber(restMs)} ms`,
    ),
    limited(`the same, until no process of a command is left`, goneMs, "ms", 5000, "SIGTERM, then SIGKILL"),
  ];
}
